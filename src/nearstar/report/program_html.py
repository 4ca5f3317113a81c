"""A model's program as HTML: nested lists, with what its leaves have learned in tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from markupsafe import Markup

from nearstar.language.program import Path, is_complete
from nearstar.model.explain.program_parts import Array, Leaf, Part
from nearstar.model.model import Model
from nearstar.report.digits import shown
from nearstar.report.words import Line, lines_of, notes_of

_ROWS = 40
"""Most features of a table; of more, those that matter most are shown."""
_FEW, _MANY = 3, 8
"""Outputs whose bars have room beside their numbers; outputs that have room on paper."""
_NAME = 20
"""Letters that a heading has room for."""
_UNITS = (
    "Weights are in the data's own units. The bars are of weight × the feature's standard "
    "deviation in the training data, so that all bars compare: to the right what adds, to the "
    "left what takes away."
)
_HOLES = Markup("<p>Each ?? is a network: it can be used, but not be read.</p>")


def program_html(model: Model) -> str:
    """The program for reading; names and labels are escaped. Styles are in program.css."""
    if not is_complete(model.program):
        return in_frame(text_html(model.text()) + _HOLES)
    lines = lines_of(model)
    tables = _Tables(model, lines)
    notes = [*notes_of(model), *([_UNITS] if tables.largest > 0 else [])]
    parts = Markup('<ul class="ns-parts" role="list">{}</ul>').format(_item((), lines, tables))
    listed = _joined(Markup("<li>{}</li>").format(note) for note in notes)
    return in_frame(parts + Markup('<ul class="ns-notes" role="list">{}</ul>').format(listed))


def in_frame(contents: Markup) -> Markup:
    """What the styles are for; it has the focus, so that keys scroll what is wider than a page."""
    return Markup(
        '<div class="ns-program" tabindex="0" role="group" aria-label="program">{}</div>'
    ).format(contents)


def text_html(text: str) -> Markup:
    """A program's text."""
    return Markup('<pre class="ns-text">{}</pre>').format(text)


def _joined(contents: Iterable[Markup]) -> Markup:
    return Markup("").join(contents)


def _item(path: Path, lines: Mapping[Path, Line], tables: _Tables) -> Markup:
    """A part with all that it is made of."""
    line = lines[path]
    node = line.node
    below = [_item(each, lines, tables) for each in node.arguments]
    return Markup("<li>{}{}{}</li>").format(
        _line(line),
        tables.of(node, node.learned) if node.learned is not None else "",
        Markup('<ul role="list">{}</ul>').format(_joined(below)) if below else "",
    )


def _line(line: Line) -> Markup:
    pieces = [Markup('<span class="ns-number">{}</span>').format(line.node.number)]
    if line.role:
        pieces.append(Markup('<span class="ns-role">{}</span>').format(line.role))
    if line.condition is None:
        pieces.append(Markup("<code>{}</code>").format(line.heading))
    if line.words:
        emphasis = "ns-asks" if line.condition else "ns-words"
        pieces.append(Markup('<span class="{}">{}</span>').format(emphasis, line.words))
    return Markup('<div class="ns-line">{}</div>').format(Markup(" ").join(pieces))


class _Tables:
    """Tables of what leaves have learned, with bars that compare throughout the program."""

    def __init__(self, model: Model, lines: Mapping[Path, Line]) -> None:
        self._model = model
        found = (line.node.learned for line in lines.values())
        leaves = [leaf for leaf in found if leaf is not None]
        self.largest = max(
            (np.abs(self._influence(leaf)).max(initial=0) for leaf in leaves), default=0
        )

    def _influence(self, leaf: Leaf) -> Array:
        """What a deviation of each feature changes."""
        return leaf.weights * self._model.scale.std[list(leaf.columns), None]

    def of(self, node: Part, leaf: Leaf) -> Markup:
        """The table of a leaf: a row for each feature, a column for each output."""
        features, influence = self._model.domain.features, self._influence(leaf)
        rows = [
            self._row(features[leaf.columns[index]], leaf.weights[index], influence[index])
            for index in _most(influence)
        ]
        if more := len(leaf.columns) - len(rows):
            left_out = Markup('<tr><td colspan="{}">{} more features with shorter bars</td></tr>')
            rows.append(left_out.format(node.outputs + 1, more))
        rows += map(self._row, leaf.carried, leaf.accumulator)
        rows.append(self._row(leaf.own, leaf.bias))
        names = "ns-weights"
        names += " ns-many" if node.outputs > _FEW else ""
        names += " ns-small" if node.outputs > _MANY else ""
        title = f"What part {node.number} has learned"
        return Markup('<table class="{}" aria-label="{}">{}<tbody>{}</tbody></table>').format(
            names, title, self._head(node), _joined(rows)
        )

    def _head(self, node: Part) -> Markup:
        if node.outputs == 1:
            return Markup("")
        cells = (_title("col", title) for title in node.called(self._model.class_names))
        return Markup("<thead><tr><td></td>{}</tr></thead>").format(_joined(cells))

    def _row(self, title: str, numbers: Array, influence: Array | None = None) -> Markup:
        bars = [None] * len(numbers) if influence is None else influence.tolist()
        cells = (
            Markup("<td>{}{}</td>").format(shown(number), self._bar(bar))
            for number, bar in zip(numbers.tolist(), bars, strict=True)
        )
        return Markup("<tr>{}{}</tr>").format(_title("row", title), _joined(cells))

    def _bar(self, influence: float | None) -> Markup:
        if not influence:
            return Markup('<i class="ns-bar"></i>')
        # At least a sliver: what is not 0 is seen.
        width = max(50 * abs(influence) / self.largest, 0.5)
        sign = "ns-adds" if influence > 0 else "ns-takes"
        return Markup('<i class="ns-bar"><b class="{}" style="width:{:.3g}%"></b></i>').format(
            sign, width
        )


def _title(scope: str, name: str) -> Markup:
    """A heading; what may be cut off there is shown whole where it is pointed at."""
    whole = Markup(' title="{}"').format(name) if len(name) > _NAME else ""
    return Markup('<th scope="{}"{}>{}</th>').format(scope, whole, name)


def _most(influence: Array) -> list[int]:
    """The rows to show, in order."""
    strongest = np.argsort(-np.abs(influence).max(axis=1, initial=0), kind="stable")[:_ROWS]
    return sorted(strongest.tolist())
