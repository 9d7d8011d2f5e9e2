"""Arrays drawn by Hypothesis; it is needed here, and nowhere else in secant."""

from .._errors import InputError

try:
    import hypothesis as _hypothesis  # noqa: F401 says at once whether it is there
except ImportError as error:
    raise InputError(
        "expected hypothesis to be installed, to draw arrays; run: pip install 'secant[hypothesis]'"
    ) from error
