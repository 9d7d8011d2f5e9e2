"""Functions of one number in closed form, as mpmath writes them, and scripts with them.

A script holds a claim to the truth in a few lines, with the framework and mpmath alone. It leaves
the derivative as `claimed`, the truth as `exact` and the relative error as `error`.
"""

from __future__ import annotations

FORMS = {
    "acos": "mpmath.acos(x)",
    "acosh": "mpmath.acosh(x)",
    "asin": "mpmath.asin(x)",
    "asinh": "mpmath.asinh(x)",
    "atan": "mpmath.atan(x)",
    "atanh": "mpmath.atanh(x)",
    "cbrt": "mpmath.sign(x) * mpmath.cbrt(abs(x))",
    "cos": "mpmath.cos(x)",
    "cosh": "mpmath.cosh(x)",
    "digamma": "mpmath.psi(0, x)",
    "entr": "-x * mpmath.log(x)",
    "erf": "mpmath.erf(x)",
    "erfc": "mpmath.erfc(x)",
    "erfcx": "mpmath.exp(x**2) * mpmath.erfc(x)",
    "erfinv": "mpmath.erfinv(x)",
    "exp": "mpmath.exp(x)",
    "exp1": "mpmath.e1(x)",
    "exp2": "mpmath.mpf(2) ** x",
    "expi": "mpmath.ei(x)",
    "expm1": "mpmath.expm1(x)",
    "i0": "mpmath.besseli(0, x)",
    "i0e": "mpmath.exp(-abs(x)) * mpmath.besseli(0, x)",
    "i1": "mpmath.besseli(1, x)",
    "i1e": "mpmath.exp(-abs(x)) * mpmath.besseli(1, x)",
    "lgamma": "mpmath.log(abs(mpmath.gamma(x)))",
    "log": "mpmath.log(x)",
    "log10": "mpmath.log10(x)",
    "log1p": "mpmath.log1p(x)",
    "log2": "mpmath.log(x, 2)",
    "log_ndtr": "mpmath.log(mpmath.ncdf(x))",
    "logit": "mpmath.log(x / (1 - x))",
    "logsigmoid": "-mpmath.log1p(mpmath.exp(-x))",
    "mish": "x * mpmath.tanh(mpmath.log1p(mpmath.exp(x)))",
    "ndtr": "mpmath.ncdf(x)",
    "reciprocal": "1 / x",
    "rsqrt": "1 / mpmath.sqrt(x)",
    "sigmoid": "1 / (1 + mpmath.exp(-x))",
    "silu": "x / (1 + mpmath.exp(-x))",
    "sin": "mpmath.sin(x)",
    "sinc": "mpmath.sincpi(x)",
    "sinh": "mpmath.sinh(x)",
    "spence": "mpmath.polylog(2, 1 - x)",
    "sqrt": "mpmath.sqrt(x)",
    "tan": "mpmath.tan(x)",
    "tanh": "mpmath.tanh(x)",
}
_ALIASES = {
    **{f"arc{name[1:]}": name for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh")},
    "gammaln": "lgamma",
    "log_sigmoid": "logsigmoid",
}


def form_of(operator: str) -> str | None:
    """Return the closed form of an operator in `x`, by the last part of its name; None without."""
    name = operator.rpartition(".")[2].removesuffix("_")
    return FORMS.get(_ALIASES.get(name, name))


def script(form: str, imports: str, claim: str, order: int) -> str:
    """Return a script: `claim` computes the derivative at `x`, a number, and calls it `claimed`."""
    return f"""import mpmath
{imports}

mpmath.mp.dps = 100
{claim}
x = mpmath.mpf(x)
exact = mpmath.diff(lambda x: {form}, x, {order})
error = abs(claimed - exact) / abs(exact) if exact else mpmath.mpf(abs(claimed))
told = f"claimed {{claimed}}, exact {{mpmath.nstr(exact, 8)}}"
print(f"{{told}}: off by {{mpmath.nstr(error, 2)}} of it")
"""
