"""Loaders and batches as users see them at a prompt and in a notebook."""

from html import escape
from typing import Dict, Iterable, List, Tuple

from ._plan import Field, Plan
from ._protocol import visible

_MOST = 10
"""The number of fields in a line."""

Facts = Iterable[Tuple[str, object]]


def shown(fields: Iterable[Field]) -> List[Field]:
    """Returns the fields of a pipeline, without those that every batch has."""
    return [field for field in fields if not field.name.startswith("__")]


def shape_of(field: Field, rows: object) -> str:
    """Returns type and shape of a field, such as `uint8[64, 28, 28, 1]`. The length of a ragged row is `*`."""
    extents = [rows, *(["*"] if field.form == "ragged" else []), *field.shape]
    form = "" if field.form == "dense" else f"{field.form} "
    return f"{form}{field.dtype}[{', '.join(map(str, extents))}]"


def fields_line(fields: Iterable[Field], rows: object) -> str:
    """Returns names, types and shapes of the first fields in one line, and the number of the others."""
    found = shown(fields)
    parts = [f"{visible(field.name)}={shape_of(field, rows)}" for field in found[:_MOST]]
    return ", ".join([*parts, *([f"... {len(found) - _MOST} more fields"] if len(found) > _MOST else [])])


def run_facts(plan: Plan, source: str, address: str, step: int, shares: str) -> Dict[str, object]:
    """Returns what a table says about a loader. `shares` are those of the datasets in the rows that it has received."""
    epochs = "without an end" if plan.epochs is None else plan.epochs
    mixed = {} if plan.mix is None else {"mix": plan.mix, "received": shares or "nothing"}
    return {
        "pipeline": plan.name,
        "source": source,
        "address": address,
        "epochs": epochs,
        "batches per epoch": plan.steps_per_epoch,
        "rows of a batch": plan.batch,
        "samples": plan.samples,
        **mixed,
        "rank": f"{plan.rank} of {plan.world}",
        "next step": f"{step} (epoch {step // plan.steps_per_epoch})",
    }


def table(title: str, facts: Facts, fields: Iterable[Field], rows: object) -> str:
    """Returns an HTML table of facts, and one of fields."""
    lines = [f"<b>{escape(title)}</b>", "<table>"]
    lines += [f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in facts]
    lines += ["</table>", "<table>", "<tr><th>field</th><th>type and shape</th><th>meaning</th></tr>"]
    for field in shown(fields):
        cells = (field.name, shape_of(field, rows), field.kind)
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return "\n".join([*lines, "</table>"])
