"""What a template of lm-evaluation-harness says of a document, where it only names fields. Nothing is run."""

from __future__ import annotations

from collections.abc import Mapping

from jinja2 import Environment, TemplateError, nodes

_STRIPS = ("strip", "lstrip", "rstrip")
_MOST = 10_000


def value_of(template: str, doc: Mapping[str, object]) -> object:
    """The value of a field's name, or of a template that is one expression of fields; else its text.

    ValueError, in words, where it does more than name fields.
    """
    if template in doc:
        return doc[template]
    parts = [part for output in _outputs(template) for part in output.nodes]
    if len(parts) == 1:
        return _value(parts[0], doc)
    return "".join(str(_value(part, doc)) for part in parts)


def fields_named(template: str) -> list[str]:
    """The fields a template names, in order. ValueError where it cannot be read."""
    names = [name for output in _outputs(template) for name in output.find_all(nodes.Name)]
    return list(dict.fromkeys(name.name for name in names))


def _outputs(template: str) -> list[nodes.Output]:
    if len(template) > _MOST:
        raise ValueError(f"a template of more than {_MOST:,} characters")
    try:
        body = Environment(autoescape=True).parse(template).body
    except (TemplateError, RecursionError) as error:
        raise ValueError(f"a template that cannot be read: {template[:60]!r}") from error
    outputs = [node for node in body if isinstance(node, nodes.Output)]
    if len(outputs) < len(body):
        raise ValueError(f"a template that does more than name fields: {template[:60]!r}")
    return outputs


def _value(node: nodes.Node, doc: Mapping[str, object]) -> object:
    match node:
        case nodes.TemplateData(data=text):
            return text
        case nodes.Const(value=value):
            return value
        case nodes.Name(name=name) if name in doc:
            return doc[name]
        case nodes.List(items=items):
            return [_value(item, doc) for item in items]
        case nodes.Getattr(node=of, attr=name):
            return _part(_value(of, doc), name)
        case nodes.Getitem(node=of, arg=arg):
            return _part(_value(of, doc), _value(arg, doc))
        case nodes.Call(node=nodes.Getattr(node=of, attr=name), args=args, kwargs=[], dyn_args=None, dyn_kwargs=None):
            return _called(_value(of, doc), name, [_value(arg, doc) for arg in args])
    raise ValueError("its template names a field that is not there, or does more than name fields")


def _part(of: object, name: object) -> object:
    if isinstance(of, Mapping) and name in of:
        return of[name]
    if isinstance(of, list) and isinstance(name, int) and -len(of) <= name < len(of):
        return of[name]
    raise ValueError(f"its template names a field that is not there: {str(name)[:60]!r}")


def _called(of: object, name: str, args: list[object]) -> object:
    if isinstance(of, str) and name in _STRIPS and not args:
        return getattr(of, name)()
    if isinstance(of, list) and name == "index" and len(args) == 1 and args[0] in of:
        return of.index(args[0])
    raise ValueError(f"its template does more than name fields: {name}()")
