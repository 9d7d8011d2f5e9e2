"""The colours of pages and pictures, by what they mean, in light and in dark.

Traces name colours as `@bad`; a page looks them up when it draws, so that it follows the reader's
theme. Blue and orange stay apart for readers who do not tell red from green, and no colour says
anything that a word or a shape beside it does not.
"""

from __future__ import annotations

from typing import Any

LIGHT = {
    "page": "#f6f7f9",
    "card": "#ffffff",
    "text": "#1c2128",
    "muted": "#59636e",
    "line": "#d8dee4",
    "grid": "#e4e8ec",
    "link": "#0a58ca",
    "good": "#17713a",
    "good-soft": "#e3f4e8",
    "bad": "#b42318",
    "bad-soft": "#fdecea",
    "unsure": "#8a5a00",
    "unsure-soft": "#fdf3dc",
    "refused": "#6b3fa0",
    "refused-soft": "#f1eafa",
    "point": "#2f6db5",
    "band": "rgba(47, 109, 181, 0.16)",
    "d0": "#174f91",
    "d1": "#85b4de",
    "d2": "#f5f5f3",
    "d3": "#f0ad6b",
    "d4": "#9c4a06",
}
DARK = {
    "page": "#0f1318",
    "card": "#171c22",
    "text": "#e6eaef",
    "muted": "#9aa5b1",
    "line": "#2d353e",
    "grid": "#272e36",
    "link": "#78b4ff",
    "good": "#5fd08a",
    "good-soft": "#12301f",
    "bad": "#ff8378",
    "bad-soft": "#3a1714",
    "unsure": "#f0be5a",
    "unsure-soft": "#352808",
    "refused": "#c8a2f5",
    "refused-soft": "#2a1c3d",
    "point": "#74b0f0",
    "band": "rgba(116, 176, 240, 0.18)",
    "d0": "#8cc8ff",
    "d1": "#2f6ba6",
    "d2": "#20262d",
    "d3": "#a8641f",
    "d4": "#ffbe73",
}
DIVERGING: list[Any] = [[k / 4, f"@d{k}"] for k in range(5)]


def painted(value: Any, theme: dict[str, str]) -> Any:
    """Return a trace or a layout with the colours of a theme in the place of their names."""
    if isinstance(value, dict):
        return {
            key: theme[item[1:]] if _is_colour(key, item) else painted(item, theme)
            for key, item in value.items()
        }
    if isinstance(value, list):
        if value == DIVERGING:
            return [[place, theme[name[1:]]] for place, name in DIVERGING]
        return [painted(item, theme) for item in value]
    return value


def _is_colour(key: str, item: Any) -> bool:
    return key.endswith("color") and isinstance(item, str) and item.startswith("@")
