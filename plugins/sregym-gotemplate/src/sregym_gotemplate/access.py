"""How templates see values: by default those of JSON, as Go has them in interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_gotemplate.errors import FunctionError
from sregym_gotemplate.printing import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Access:
    """Values of JSON. Subclasses change what they need; what fails raises `FunctionError`.

    Attributes:
        failures: What functions raise when they fail. Anything else passes through to the code that
            carries out the template.
    """

    failures: ClassVar[tuple[type[Exception], ...]] = (FunctionError,)

    def field(self, value: Any, name: str) -> Any:
        """A field of a value; None where a map has none of this name.

        Raises:
            FunctionError: The value has no fields.
        """
        if isinstance(value, dict):
            return value.get(name)
        if value is None:
            return None
        raise FunctionError(f"can't evaluate field {name} in type interface {{}}")

    def reader(self, names: tuple[str, ...]) -> Callable[[Any], Any]:
        """What gives the field at a path; made once for each place in a template."""
        if len(names) == 1:
            name = names[0]
            return lambda value: self.field(value, name)

        def read(value: Any) -> Any:
            for name in names:
                value = self.field(value, name)
            return value

        return read

    def truth(self, value: Any) -> bool:
        """Whether `if` takes a value for true."""
        return bool(value)

    def written(self, value: Any) -> str:
        """What an action writes."""
        return "<no value>" if value is None else shown(value)

    def entries(self, value: Any) -> Iterable[tuple[Any, Any]]:
        """What `range` goes through: keys or places, and items.

        Raises:
            FunctionError: It cannot go through that.
        """
        if value is None:
            return ()
        if isinstance(value, dict):
            return sorted(value.items())
        if isinstance(value, list):
            return enumerate(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return ((place, place) for place in range(value))
        raise FunctionError(f"range can't iterate over {shown(value)}")
