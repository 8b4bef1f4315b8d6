"""Each public function says what it takes and what it raises, with each argument by its name."""
import inspect

import pytest

import tcpc
from tcpc import _load

FUNCTIONS = {name: getattr(tcpc, name) for name in tcpc.__all__ if inspect.isfunction(getattr(tcpc, name))}
CLASSES = [getattr(tcpc, name) for name in tcpc.__all__ if inspect.isclass(getattr(tcpc, name))] + [_load.Kernel]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    function = FUNCTIONS[name]
    text, names = inspect.getdoc(function), list(inspect.signature(function).parameters)
    assert text
    if names:
        assert "\nArgs:\n" in text or len(names) == 1, f"{name} does not say what it takes"
        assert [n for n in names if n not in text.split("Args:")[-1]] == []
        assert "\nRaises:\n" in text or "as for relayout" in text, f"{name} does not say what it raises"
    hints = inspect.signature(function)
    assert hints.return_annotation is not inspect.Signature.empty and all(p.annotation is not inspect.Parameter.empty for p in hints.parameters.values())


@pytest.mark.parametrize("one", CLASSES, ids=lambda c: c.__name__)
def test_class(one):
    assert inspect.getdoc(one) and all(inspect.getdoc(getattr(one, name)) for name in vars(one) if inspect.isfunction(vars(one)[name]) and not name.startswith("_"))
    if issubclass(one, tuple):
        assert [field for field in one._fields if field not in one.__doc__] == []
