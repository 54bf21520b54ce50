"""A frozen record whose values are checked when it is made: what every group of settings is.

    class Robots(Group):
        cache: Duration = setting(default=86400.0, gt=0, le=86400)

A field is an annotated name in the body of the class. Its annotation tells what it may be (kinds.py), its value what it
is if nothing is given. What is promised: whoever holds a record may rely on every value; whoever gives what cannot be
used gets InvalidSettings with all mistakes at once.

Making a class only notes its fields. How a value is checked is worked out from the annotation when one is first given,
since most programs give few of them, and all of them wait for this module. A record holds what it was given, and has
the rest from its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from functools import cached_property
from typing import Any, ClassVar, Self, dataclass_transform, get_type_hints

import msgspec

from gossamer.config.kinds import Bounds, Fault, Readable, Reader, Unfit, faults_of, reader_of, unfit
from gossamer.config.problems import NEVER_SHOWN, InvalidSettings, not_a_setting

REQUIRED: Any = msgspec.NODEFAULT
"""Stands for the default of a field that has none."""


class _Annotations:
    """What the fields of one class may be, worked out all at once when one is first asked for."""

    def __init__(self, owner: type[Record]) -> None:
        self._owner = owner

    @cached_property
    def by_name(self) -> dict[str, Any]:
        """Field name -> annotation, with its marks."""
        return get_type_hints(self._owner, include_extras=True)


class Field:
    """One field of a kind of record."""

    def __init__(self, annotations: _Annotations, name: str, default: Any, bounds: Bounds) -> None:
        self._annotations = annotations
        self.name = name
        self.default = default
        """REQUIRED if it must be given."""
        self._bounds = bounds

    @property
    def is_required(self) -> bool:
        """Must it be given?"""
        return self.default is REQUIRED

    @property
    def annotation(self) -> Any:
        """What it may be, with the marks of kinds.py."""
        return self._annotations.by_name[self.name]

    @cached_property
    def read(self) -> Reader:
        """Checks a value."""
        return self._bounds.around(reader_of(self.annotation))


class _Declared(msgspec.Struct):
    """The value of a field in the body of its class, until the class is made."""

    default: Any
    bounds: Bounds = Bounds()


def setting(*, default: Any, ge: float | None = None, gt: float | None = None, le: float | None = None) -> Any:
    """The default of a field and its bounds: at least `ge`, more than `gt`, at most `le`."""
    return _Declared(default, Bounds(ge=ge, gt=gt, le=le))


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(setting,))
class Record(Readable):
    """The base of all kinds."""

    _fields: ClassVar[dict[str, Field]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._fields = dict(cls._fields)
        annotations = _Annotations(cls)
        for name in cls.__annotations__:
            value = cls.__dict__.get(name, REQUIRED)
            declared = value if isinstance(value, _Declared) else _Declared(value)
            if declared.default is not REQUIRED:
                setattr(cls, name, declared.default)
            cls._fields[name] = Field(annotations, name, declared.default, declared.bounds)

    def __init__(self, /, **given: Any) -> None:
        """Raises InvalidSettings."""
        try:
            self._take(given)
        except ValueError as exc:
            place = self._place()
            raise InvalidSettings(
                [fault.problem(place, is_shown=(place + fault.path)[:2] not in NEVER_SHOWN) for fault in faults_of(exc)]
            ) from None

    @classmethod
    def read_value(cls, value: object) -> Self:
        """A record for a field of another one: itself, or what a table of names and values gives. Raises Unfit."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, Mapping):
            raise Unfit("must be a table", value)
        record = cls.__new__(cls)
        record._take({str(name): part for name, part in value.items()})
        return record

    def _take(self, given: Mapping[str, object]) -> None:
        faults = []
        for name, field in self._fields.items():
            if name in given:
                try:
                    self.__dict__[name] = field.read(given[name])
                except ValueError as exc:
                    faults += [msgspec.structs.replace(fault, path=(name, *fault.path)) for fault in faults_of(exc)]
            elif field.is_required:
                faults.append(Fault("must be given", path=(name,)))
        faults += [Fault(self._unknown(name), path=(name,)) for name in given if name not in self._fields]
        if faults:
            raise unfit(faults)
        self._check_together()

    def _check_together(self) -> None:
        """Check what holds between several fields, each of which is good by itself. Raises ValueError."""

    @classmethod
    def _place(cls) -> tuple[str, ...]:
        """Where such a record stands in the whole configuration, for messages."""
        return ()

    @classmethod
    def _unknown(cls, name: str) -> str:
        """The rest of the sentence about a name that it does not have."""
        return not_a_setting(name, cls._fields)

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"settings are frozen: {type(self).__name__}.{name} cannot be set; make others")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"settings are frozen: {type(self).__name__}.{name} cannot be deleted; make others")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._fields)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in self._fields)))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields if name in self.__dict__)
        return f"{type(self).__name__}({given})"


def fields_of(kind: type[Record] | Record) -> Mapping[str, Field]:
    """The fields of a kind of record by their names, in the order they are defined in."""
    return kind._fields


def given_in(record: Record) -> dict[str, Any]:
    """What it was given; the rest is at its default."""
    return dict(vars(record))
