"""Chat templates of Hugging Face: Jinja programs that make one text of messages. Imports jinja2.

The environment is that of `apply_chat_template` of transformers: sandboxed, with `trim_blocks`, `lstrip_blocks`, `break` and
`continue`, the filter `tojson` that escapes nothing, `raise_exception`, `strftime_now`, and blocks `{% generation %}`.
"""

import json
from datetime import datetime
from typing import Any, List, Mapping, NoReturn, Optional, Sequence, Tuple

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

Span = Tuple[int, int]
"""The first character of a part of a text, and the one after its last."""

BEGIN, END = "\ue0f0<millrace>\ue0f1", "\ue0f1<millrace>\ue0f0"
"""The marks around what a block `{% generation %}` renders, of private characters, which texts do not have."""

MARKED = "__millrace_marked__"


class Generation(Extension):
    """The block `{% generation %}`, whose text has marks around it when the variable `MARKED` is true."""

    def __init__(self, environment: jinja2.Environment) -> None:
        super().__init__(environment)
        self.tags = {"generation"}

    def parse(self, parser: Parser) -> nodes.Node:
        """Returns the body of a block as a call of `_within`."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        call = self.call_method("_within", [nodes.Name(MARKED, "load")])
        return nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _within(self, marked: Any, caller: Any) -> str:
        text = str(caller())
        return f"{BEGIN}{text}{END}" if marked is True else text


class ChatTemplate:
    """One chat template, and the variables that it always has, such as `bos_token`."""

    def __init__(self, source: str, variables: Mapping[str, Any], name: str) -> None:
        """Raises ValueError, with `name` and the line, for a text that is no Jinja program."""
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
        )
        environment.filters["tojson"] = _json
        environment.globals.update(raise_exception=_refuse, strftime_now=lambda form: datetime.now().strftime(form))
        try:
            self._template = environment.from_string(source)
            parsed = environment.parse(source)
        except jinja2.TemplateSyntaxError as e:
            raise ValueError(f"the chat template of {name}, line {e.lineno}: {e.message}") from e
        self._variables = variables
        self._name = name
        self.marks_replies = any(
            isinstance(block.call, nodes.Call)
            and isinstance(block.call.node, nodes.ExtensionAttribute)
            and block.call.node.name == "_within"
            for block in parsed.find_all(nodes.CallBlock)
        )
        """Whether it has blocks `{% generation %}`, which mark what the model generates."""

    def render(self, messages: Sequence[Any], tools: Optional[Any] = None, *, prompt: bool = False, marked: bool = False) -> str:
        """Returns the text of messages; with `prompt`, with the beginning of a reply after them.

        Raises ValueError for messages that the template refuses, and for an error in it.
        """
        variables = {**self._variables, MARKED: marked}
        try:
            return self._template.render(
                messages=messages, tools=tools, documents=None, add_generation_prompt=prompt, **variables
            )
        except (jinja2.TemplateError, TypeError, LookupError, AttributeError, ValueError, ArithmeticError) as e:
            count = "1 message" if len(messages) == 1 else f"{len(messages)} messages"
            raise ValueError(f"the chat template of {self._name} refuses {count}: {e}") from e

    def generated(self, messages: Sequence[Any], tools: Optional[Any], text: str) -> List[Span]:
        """Returns the parts of the text of messages that are within blocks `{% generation %}`."""
        if BEGIN in text or END in text:
            raise ValueError("the chat has the private characters with which Millrace marks replies: remove U+E0F0 and U+E0F1")
        parts = self.render(messages, tools, marked=True).split(BEGIN)
        if "".join(part.replace(END, "") for part in parts) != text or any(part.count(END) != 1 for part in parts[1:]):
            raise ValueError(
                f"the chat template of {self._name} changes what its blocks generation have rendered, so the places of replies"
                " in the text are unknown: use train_on='last', which needs no blocks"
            )
        spans, place = [], len(parts[0])
        for part in parts[1:]:
            reply, _, rest = part.partition(END)
            spans.append((place, place + len(reply)))
            place += len(reply) + len(rest)
        return [span for span in spans if span[0] < span[1]]


def _json(value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _refuse(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)
