"""Chats as one text, compared with transformers' `apply_chat_template` where it is installed."""

import json
import sys

import numpy as np
import pytest

pytest.importorskip("jinja2")

from millrace.text import chat

CHATML = (
    "{{ bos_token }}{% for m in messages %}\n    {%- if m.role == 'tool' %}{% continue %}{% endif %}\n"
    "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}\n"
    "{% if add_generation_prompt %}\n<|im_start|>assistant\n{% endif %}"
)
MARKED = (
    "{% for m in messages %}\n  {% if m['role'] == 'assistant' %}\n<|a|>"
    "{% generation %}{{ m['content'] | trim }}{{ eos_token }}{% endgeneration %}\n"
    "  {% elif m['role'] == 'user' %}\n<|u|>{{ m['content'] }}\n"
    "  {% else %}{{ raise_exception('no role ' + m['role']) }}{% endif %}\n{% endfor %}"
    "{% if tools %}{{ tools | tojson(indent=2) }}{% endif %}{% if add_generation_prompt %}<|a|>{% endif %}"
)
THINKING = (
    "{% for m in messages %}<{{ m.role }}>{% if m.role == 'assistant' and loop.last %}<think></think>{% endif %}"
    "{{ m.content }}<end>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)
DATED = "{{ strftime_now('%Y') }} {% for m in messages %}{{ m | tojson }}{% if loop.index == 2 %}{% break %}{% endif %}{% endfor %}"

TALK = [
    {"role": "user", "content": "Grüße, <b>Welt</b> & 你好"},
    {"role": "assistant", "content": "Ja 🙂, gern."},
    {"role": "user", "content": "Und\n\nweiter?  "},
    {"role": "assistant", "content": "  é — fin "},
]


@pytest.fixture
def folder(tmp_path):
    """Returns a function that writes the files of a tokenizer with a chat template."""

    def write(template=None, **config):
        tokens = {"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": False}, "add_bos_token": True}
        (tmp_path / "tokenizer_config.json").write_text(json.dumps({**tokens, **config}))
        if template is not None:
            (tmp_path / "chat_template.jinja").write_text(template)
        return tmp_path

    return write


def parts(result, prefix=""):
    utf8 = result[f"{prefix}text"].encode()
    return [utf8[begin:end].decode() for begin, end in result[f"{prefix}loss_spans"]]


@pytest.fixture
def oracle(folder):
    """Returns a function that makes a tokenizer of transformers, whose tokens are bytes, with a template."""
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")

    def make(template):
        bytes_of = tokenizers.pre_tokenizers.ByteLevel.alphabet()
        made = tokenizers.Tokenizer(tokenizers.models.BPE({c: i for i, c in enumerate(sorted(bytes_of))}, []))
        made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = tokenizers.decoders.ByteLevel()
        fast = transformers.PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>", eos_token="</s>")
        fast.chat_template = template
        return fast

    return make


@pytest.mark.parametrize("template", [CHATML, MARKED, THINKING, DATED], ids=["chatml", "marked", "thinking", "dated"])
@pytest.mark.parametrize("messages", [TALK, TALK[:2], TALK[:1]], ids=len)
def test_the_text_is_that_of_transformers(folder, oracle, template, messages):
    result = chat(folder(template), train_on="all")({"messages": messages})
    assert result["text"] == oracle(template).apply_chat_template(messages, tokenize=False)
    assert parts(result) == [result["text"]]


def test_tools_reach_the_template_as_in_transformers(folder, oracle):
    tools = [{"type": "function", "function": {"name": "größe", "parameters": {"a<b": "'"}}}]
    result = chat(folder(MARKED))({"messages": TALK, "tools": json.dumps(tools)})
    assert result["text"] == oracle(MARKED).apply_chat_template(TALK, tools=tools, tokenize=False)
    assert "größe" in result["text"] and "a<b" in result["text"]


@pytest.mark.parametrize("messages", [TALK, TALK[:2]], ids=len)
def test_the_mask_of_replies_is_that_of_transformers(folder, oracle, messages):
    result = chat(folder(MARKED))({"messages": messages})
    wanted = oracle(MARKED).apply_chat_template(messages, return_assistant_tokens_mask=True, return_dict=True)
    mask = np.array(wanted["assistant_masks"]).reshape(-1)
    utf8 = result["text"].encode().replace(b"</s>", b"\0\0\0\0")
    own = np.zeros(len(utf8), np.int64)
    for begin, end in result["loss_spans"]:
        own[begin:end] = 1
    # The tokens are bytes, but for </s>, which is one.
    assert own[bytes_and_ends(utf8)].tolist() == mask.tolist() and 0 < mask.sum() < len(mask)


def bytes_and_ends(utf8):
    """Returns the place of each byte, and of </s> only that of its first."""
    return [i for i in range(len(utf8)) if utf8[i] or (i == 0 or utf8[i - 1])]


def test_the_parts_of_blocks_generation(folder):
    assert parts(chat(folder(MARKED))({"messages": TALK})) == ["Ja 🙂, gern.</s>", "é — fin</s>"]


def test_without_blocks_the_parts_follow_the_prompt_for_a_generation(folder):
    result = chat(folder(CHATML))({"messages": TALK})
    assert parts(result) == ["Ja 🙂, gern.<|im_end|>\n", "  é — fin <|im_end|>\n"]
    assert result["loss_spans"].dtype == np.int32
    assert parts(chat(folder(CHATML), train_on="last")({"messages": TALK})) == ["  é — fin <|im_end|>\n"]


def test_a_template_that_changes_earlier_replies_needs_another_choice(folder):
    with pytest.raises(ValueError, match=r"renders the first 2 messages in another way.*'<think></think>.*train_on='last'"):
        chat(folder(THINKING))({"messages": [*TALK[:2], {"role": "user", "content": "x"}]})
    assert parts(chat(folder(THINKING), train_on="last")({"messages": TALK})) == ["<think></think>  é — fin <end>"]


def array_of(messages):
    return np.frombuffer(json.dumps(messages).encode(), np.uint8)


@pytest.mark.parametrize("form", [list, json.dumps, lambda messages: json.dumps(messages).encode(), array_of])
def test_messages_come_as_a_list_or_as_json(folder, form):
    assert parts(chat(folder(CHATML))({"messages": form(TALK[:2]), "label": 1})) == ["Ja 🙂, gern.<|im_end|>\n"]


@pytest.mark.parametrize("template", [CHATML, MARKED], ids=["chatml", "marked"])
@pytest.mark.parametrize(
    "sample",
    [
        {"prompt": TALK[:3], "chosen": TALK[3:], "rejected": [{"role": "assistant", "content": "no"}]},
        {"chosen": json.dumps(TALK), "rejected": json.dumps([*TALK[:3], {"role": "assistant", "content": "no"}])},
    ],
    ids=["prompt", "common messages"],
)
def test_preferences_train_on_what_follows_the_prompt(folder, template, sample):
    result = chat(folder(template))(sample)
    assert set(result) == {"chosen_text", "chosen_loss_spans", "rejected_text", "rejected_loss_spans"}
    (chosen,), (rejected,) = parts(result, "chosen_"), parts(result, "rejected_")
    assert "é — fin" in chosen and rejected.startswith("no")
    assert "Und" in result["rejected_text"]


def test_preferences_may_be_texts(folder):
    result = chat(folder(CHATML))({"prompt": "[INST] why?", "chosen": b"so", "rejected": "[1]"})
    assert parts(result, "chosen_") == ["so<|im_end|>\n"] and parts(result, "rejected_") == ["[1]<|im_end|>\n"]


def test_variables_and_named_templates(folder):
    own = {"name": "own", "template": "{{ a }}{{ eos_token }}"}
    path = folder(chat_template=[{"name": "default", "template": "no"}, own])
    assert chat(path, template="own", variables={"a": 3}, train_on="all")({"messages": TALK})["text"] == "3</s>"
    with pytest.raises(ValueError, match=r"no chat template 'other'.*found default, own"):
        chat(path, template="other")


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ({"text": "x"}, "expected the field messages, or chosen and rejected, found text"),
        ({"messages": "[{"}, "the field messages is no JSON"),
        ({"messages": "[]"}, "expected a list of messages"),
        ({"messages": [{"content": "x"}]}, "message 0 of messages is .*expected an object with role and content"),
        ({"messages": TALK[:1]}, "no reply of an assistant to train on; its roles are user"),
        ({"messages": [{"role": "critic", "content": "x"}]}, "refuses 1 message: no role critic"),
        ({"messages": [{"role": "user"}]}, "refuses 1 message:|no reply"),
        ({"messages": [TALK[0], {"role": "assistant", "content": "\ud800"}]}, "half of a surrogate pair"),
        ({"messages": [TALK[0], {"role": "assistant", "content": "\ue0f0<millrace>\ue0f1"}]}, "private characters"),
        ({"chosen": TALK, "rejected": TALK}, "the same messages"),
        ({"chosen": TALK[1:], "rejected": TALK}, "begin with different messages"),
    ],
)
def test_wrong_samples_are_refused(folder, sample, words):
    with pytest.raises(ValueError, match=words):
        chat(folder(MARKED))(sample)


@pytest.mark.parametrize("expression", ["1 // (messages | length - 1)", "range(1000000)", "[].pop()", "'%d' % messages"])
def test_an_error_in_a_template_refuses_the_sample(folder, expression):
    with pytest.raises(ValueError, match="chat template of .* refuses 1 message: "):
        chat(folder(f"{{{{ {expression} }}}}"), train_on="all")({"messages": TALK[:1]})


def test_a_filter_around_a_block_is_noticed(folder):
    block = "{% filter upper %}{% generation %}{{ m.content }}{% endgeneration %}{% endfilter %}"
    template = f"{{% for m in messages %}}{block}{{% endfor %}}"
    with pytest.raises(ValueError, match="changes what its blocks generation have rendered"):
        chat(folder(template))({"messages": TALK[1:2]})


def test_wrong_arguments_are_refused(folder, tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        chat(tmp_path / "none")
    with pytest.raises(ValueError, match="has no chat template 'default'.*found none"):
        chat(folder())
    with pytest.raises(ValueError, match="train_on is 'some', expected assistant, last, all"):
        chat(folder(CHATML), train_on="some")
    with pytest.raises(ValueError, match="expected objects with name and template"):
        chat(folder(chat_template=["x"]))
    (tmp_path / "tokenizer_config.json").write_text("{")
    with pytest.raises(ValueError, match=r"tokenizer_config.json is no JSON"):
        chat(tmp_path)
    with pytest.raises(ValueError, match="line 2"):
        chat(folder("\n{% for %}"))
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.delitem(sys.modules, "millrace._templates")
    with pytest.raises(ImportError, match="pip install jinja2"):
        chat(folder(CHATML))


def test_templates_reach_nothing_outside_of_them(folder):
    with pytest.raises(ValueError, match="refuses 2 messages"):
        chat(folder("{{ messages.__class__.__mro__[1].__subclasses__() }}"))({"messages": TALK[:2]})
    with pytest.raises(ValueError, match="refuses 2 messages"):
        chat(folder("{{ messages.append(1) }}"))({"messages": TALK[:2]})
