"""The package that is tested is the one of this checkout, with the libraries of the build that TCPC_LIBRARY and TCPC_HOST_LIBRARY name."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
SEED = int(os.environ.get("TCPC_SEED", "1"))


@pytest.fixture(autouse=True)
def forget():
    import tcpc

    tcpc.cache_clear()
