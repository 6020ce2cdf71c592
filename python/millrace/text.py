"""Functions for texts in stages `python` of a pipeline: chats as one text, with the parts that a loss counts."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

if TYPE_CHECKING:
    from ._templates import ChatTemplate, Span

__all__ = ["Chat", "chat"]

TRAIN_ON = ("assistant", "last", "all")


class Chat:
    """Renders the messages of a sample with a chat template. `chat` makes it."""

    def __init__(self, template: "ChatTemplate", train_on: str) -> None:
        self._template = template
        self._train_on = train_on

    def __call__(self, sample: Mapping[str, Any]) -> Dict[str, Any]:
        """Returns the fields of a sample, without its others, as `chat` describes. Raises ValueError for a wrong sample."""
        tools = parsed(sample["tools"], "tools") if "tools" in sample else None
        if "messages" in sample:
            return self._fields("", messages_in(sample["messages"], "messages"), tools, 0)
        if "chosen" not in sample or "rejected" not in sample:
            found = ", ".join(sample) or "no field"
            raise ValueError(f"expected the field messages, or chosen and rejected, found {found}")
        prompt, chosen, rejected = preference(sample)
        return {
            **self._fields("chosen_", prompt + chosen, tools, len(prompt)),
            **self._fields("rejected_", prompt + rejected, tools, len(prompt)),
        }

    def _fields(self, prefix: str, messages: List[Any], tools: Optional[Any], first: int) -> Dict[str, Any]:
        text, spans = self.rendered(messages, tools, first)
        try:
            places = _bytes_of(text, spans)
        except UnicodeEncodeError as e:
            raise ValueError(f"the chat is no text: half of a surrogate pair, {text[e.start]!r}, at character {e.start}") from e
        return {f"{prefix}text": text, f"{prefix}loss_spans": places}

    def rendered(
        self, messages: Sequence[Any], tools: Optional[Any] = None, first: int = 0
    ) -> Tuple[str, List["Span"]]:
        """Returns the text of messages, and the characters [begin, end) of each part that a loss counts.

        Parts before the message `first` do not count. Raises ValueError when no part does.
        """
        template = self._template
        text = template.render(messages, tools)
        if self._train_on == "all":
            spans = [(len(template.render(messages[:first], tools)) if first else 0, len(text))]
        elif self._train_on == "assistant" and template.marks_replies:
            begin = self._beginning(messages, first, tools, text, prompt=False) if first else 0
            spans = [span for span in template.generated(messages, tools, text) if span[0] >= begin]
        else:
            replies = [i for i, message in enumerate(messages) if message["role"] == "assistant" and i >= first]
            spans = [self._reply(messages, i, tools, text) for i in replies[-1 if self._train_on == "last" else 0 :]]
        if not any(begin < end for begin, end in spans):
            roles = ", ".join(str(message["role"]) for message in messages[first:])
            raise ValueError(f"the chat has no reply of an assistant to train on; its roles are {roles or 'none'}")
        return text, spans

    def _reply(self, messages: Sequence[Any], i: int, tools: Optional[Any], text: str) -> "Span":
        begin = self._beginning(messages, i, tools, text, prompt=True)
        if i == len(messages) - 1:
            return begin, len(text)
        return begin, self._beginning(messages, i + 1, tools, text, prompt=False)

    def _beginning(self, messages: Sequence[Any], count: int, tools: Optional[Any], text: str, *, prompt: bool) -> int:
        """Returns the length of the text of the first messages, with which the text of all has to begin."""
        beginning = self._template.render(messages[:count], tools, prompt=prompt)
        if not text.startswith(beginning):
            same = len(os.path.commonprefix([text, beginning]))
            other = "" if self._train_on == "last" else ", or use train_on='last'"
            raise ValueError(
                f"the chat template renders the first {'message' if count == 1 else f'{count} messages'} in another way when more"
                f" follow: at character {same} it"
                f" has {beginning[same : same + 20]!r}, and then {text[same : same + 20]!r}. So the place of a reply is unknown:"
                f" mark replies in the template with {{% generation %}}{other}"
            )
        return len(beginning)


def chat(
    tokenizer: Union[str, "os.PathLike[str]"],
    *,
    template: str = "default",
    train_on: str = "assistant",
    variables: Optional[Mapping[str, Any]] = None,
) -> Chat:
    """Returns a function for a stage `python` that makes one text of the messages of a sample, as chat models expect it.

    `transforms: [ python: { call: "millrace.text:chat", args: { tokenizer: models/chat } } ]`

    The text is that of `tokenizer.apply_chat_template(messages, tokenize=False)` of transformers. It has the special tokens that
    the template puts into it, so that `tokenize` adds none. The package jinja2 is needed, and transformers is not.

    - `tokenizer`: a folder with `chat_template.jinja` or a `tokenizer_config.json` that has a template, or such a file.
    - `template`: the name of the template, if there are several.
    - `train_on`: `assistant`: the replies of the assistant, with the end of their turn: what is within `{% generation %}` if the
      template has it, and otherwise what follows the prompt for a generation; `last`: the last reply; `all`: the whole text.
    - `variables`: further variables of the template, such as `{ enable_thinking: false }`.

    A sample has `messages`, a list of objects with `role` and `content`, or JSON text of it, and may have `tools` in the same form.
    The result has the fields `text` and `loss_spans`, int32 [parts, 2]: the first byte of each part of the UTF-8 text that a loss
    counts, and the one after its last. A sample of preferences has `chosen`, `rejected` and perhaps `prompt`, each a text or
    messages; its result has `chosen_text`, `chosen_loss_spans`, `rejected_text` and `rejected_loss_spans`, whose parts follow
    the prompt.

    Raises ValueError, which quarantines the sample, for messages that the template refuses, and for a chat without a reply.
    Raises ImportError without jinja2, OSError for a file that cannot be read, and ValueError when it has no such template.
    """
    if train_on not in TRAIN_ON:
        raise ValueError(f"train_on is {train_on!r}, expected {', '.join(TRAIN_ON)}")
    try:
        from ._templates import ChatTemplate
    except ImportError as e:
        raise ImportError(
            f"millrace.text.chat renders chat templates with jinja2 (3.1 or newer), which cannot be imported: {e}."
            " Install it with: pip install jinja2"
        ) from e
    source, known = _template_of(Path(tokenizer), template)
    return Chat(ChatTemplate(source, {**known, **(variables or {})}, str(tokenizer)), train_on)


def _template_of(path: Path, name: str) -> Tuple[str, Dict[str, Any]]:
    """Returns the source of a template, and the special tokens of its tokenizer by their names."""
    folder = path if path.is_dir() else path.parent
    if not path.exists():
        raise FileNotFoundError(f"tokenizer is {path}, which does not exist: expected a folder with a chat template")
    settings = folder / "tokenizer_config.json"
    try:
        config = json.loads(settings.read_text(encoding="utf-8")) if settings.is_file() else {}
    except ValueError as e:
        raise ValueError(f"{settings} is no JSON: {e}") from e
    if not isinstance(config, dict):
        raise ValueError(f"{settings} is {_short(config)}, expected an object")
    found: Dict[str, str] = {}
    written = config.get("chat_template")
    if isinstance(written, str):
        found["default"] = written
    elif isinstance(written, list):
        try:
            found.update((each["name"], each["template"]) for each in written)
        except (TypeError, KeyError) as e:
            raise ValueError(f"{settings}: chat_template is {_short(written)}, expected objects with name and template") from e
    for file in [folder / "chat_template.jinja", *sorted((folder / "additional_chat_templates").glob("*.jinja"))]:
        if file.is_file():
            found["default" if file.parent == folder else file.stem] = file.read_text(encoding="utf-8")
    if path.suffix == ".jinja":
        found = {"default": path.read_text(encoding="utf-8")}
    if name not in found:
        raise ValueError(
            f"{folder} has no chat template {name!r}: expected chat_template.jinja, or chat_template in tokenizer_config.json;"
            f" found {', '.join(sorted(found)) or 'none'}"
        )
    extra = config.get("extra_special_tokens")
    tokens = {**config, **(extra if isinstance(extra, dict) else {})}
    named = {key: value for key, value in tokens.items() if key.endswith("_token")}
    texts = {key: value.get("content") if isinstance(value, dict) else value for key, value in named.items()}
    return found[name], {key: value for key, value in texts.items() if isinstance(value, str)}


def parsed(value: Any, name: str) -> Any:
    """Returns the value of JSON text, of text, bytes or an array of bytes; other values as they are."""
    if isinstance(value, np.ndarray) and value.dtype == np.uint8:
        value = value.tobytes()
    if not isinstance(value, (str, bytes)):
        return value
    try:
        return json.loads(value)
    except ValueError as e:
        raise ValueError(f"the field {name} is no JSON: {e}; it begins with {_short(value)}") from e


def messages_in(value: Any, name: str) -> List[Any]:
    """Returns the messages of a field. Raises ValueError for what is no list of objects with a role."""
    found = parsed(value, name)
    if not isinstance(found, list) or not found:
        raise ValueError(f"the field {name} is {_short(found)}, expected a list of messages")
    for i, message in enumerate(found):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise ValueError(f"message {i} of {name} is {_short(message)}, expected an object with role and content")
    return found


def preference(sample: Mapping[str, Any]) -> Tuple[List[Any], List[Any], List[Any]]:
    """Returns the messages of a prompt, and of the chosen and the rejected reply to it.

    Without a prompt, it is the messages with which both begin.
    """
    chosen, rejected = (_said(sample[name], name, "assistant") for name in ("chosen", "rejected"))
    if "prompt" in sample:
        return _said(sample["prompt"], "prompt", "user"), chosen, rejected
    same = 0
    while same < min(len(chosen), len(rejected)) and chosen[same] == rejected[same]:
        same += 1
    if not same:
        raise ValueError("chosen and rejected begin with different messages, and there is no field prompt")
    if same in (len(chosen), len(rejected)):
        raise ValueError("chosen and rejected have the same messages, so that neither is preferred")
    return chosen[:same], chosen[same:], rejected[same:]


def _said(value: Any, name: str, role: str) -> List[Any]:
    """Returns the messages of a field, or a plain text as the message of a role."""
    if isinstance(value, np.ndarray) and value.dtype == np.uint8:
        value = value.tobytes()
    text = value.decode() if isinstance(value, bytes) else value
    if not isinstance(text, str):
        return messages_in(text, name)
    try:
        found = json.loads(text)
    except ValueError:
        found = None  # A plain text may begin as JSON does, as [INST] does.
    if isinstance(found, list) and found and all(isinstance(message, dict) for message in found):
        return messages_in(found, name)
    return [{"role": role, "content": text}]


def _bytes_of(text: str, spans: Sequence["Span"]) -> "np.ndarray[Any, np.dtype[np.int32]]":
    """Returns the places of characters in the UTF-8 bytes of a text: int32 [spans, 2]."""
    places, done, at = [], 0, 0
    for place in [place for span in spans for place in span]:
        at += len(text[done:place].encode())
        done = place
        places.append(at)
    text[done:].encode()  # The rest has to be text, too.
    return np.array(places, np.int32).reshape(-1, 2)


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
