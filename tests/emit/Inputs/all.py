"""usage: all.py FOLDER: prints one C++ file that includes each *.cu of FOLDER in a namespace of its own, so that one run of
the compiler sees them all."""

import pathlib
import re
import sys

print('#include "tcp_device.cuh"\n#include "tcp_launch.h"\n#include "tcp_mesh.cuh"\n#include "tcp_mesh_launch.h"')
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.cu")):
    # launchers have C names, which namespaces do not keep apart
    text = path.read_text().replace("TCP_EXTERN_C ", "")
    text = re.sub(r'^#include "tcp_.*\n', "", text, flags=re.M)
    print(f"namespace n_{re.sub('[^A-Za-z0-9_]', '_', path.stem)} {{\n#line 1 \"{path.name}\"\n{text}\n}}")
