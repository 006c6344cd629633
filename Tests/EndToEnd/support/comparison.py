"""Short explanations of failed comparisons: the tests compare lists of tens of thousands of items."""

from typing import Optional

#: The longest text of a value that an explanation shows.
LENGTH = 2000


def explain(left: object, right: object) -> Optional[list[str]]:
    """Says where two lists first differ; `None` leaves the explanation to pytest."""
    if not (isinstance(left, list) and isinstance(right, list)):
        return None
    for index, (one, other) in enumerate(zip(left, right)):
        if one != other:
            return [f"the lists differ at index {index}", f"found:    {_shown(one)}", f"expected: {_shown(other)}"]
    longer, name = (left, "unexpected") if len(left) > len(right) else (right, "missing")
    common = min(len(left), len(right))
    return [f"{len(left)} items instead of {len(right)}", f"first {name} one: {_shown(longer[common])}"]


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LENGTH else f"{text[:LENGTH]}…"
