"""The function of the transform `python`."""

import inspect
import sys

from millrace_worker import profile
from millrace_worker.errors import BadResult, WrongPipeline

# The parameters that a function may have besides the sample or its fields.
EXTRAS = ("rng", "index", "epoch", "key")


class Function:
    """The user's function and the way in which it is called, which its parameters determine.

    `stage` is its number among the functions that one call runs, from 0.
    """

    def __init__(self, word, function, stage):
        self.word = word
        self.stage = stage
        self.function = function
        self.names = None
        self.everything = False
        try:
            parameters = list(inspect.signature(function).parameters.values())
            described = True
        except (TypeError, ValueError):
            parameters, described = [], False  # a function of a C library, which gets the sample
        named = [p for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        self.extras = [p.name for p in named if p.name in EXTRAS]
        self.positional = [p for p in named if p.name not in EXTRAS and p.kind is not p.KEYWORD_ONLY]
        keywords = any(p.kind is p.VAR_KEYWORD for p in parameters)
        arguments = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        required = [p.name for p in named if p.kind is p.KEYWORD_ONLY and p.default is p.empty and p.name not in EXTRAS]
        torch = sys.modules.get("torch")
        module = torch is not None and isinstance(function, torch.nn.Module)
        if not module and keywords and not self.positional:
            self.everything = True  # Albumentations' Compose and its like
        elif not module and described and not self.positional and not arguments and not required:
            raise WrongPipeline("%s takes no sample: expected a parameter, found %s" % (word, self.signature()))
        self.keyword_only = required

    def signature(self):
        return "(" + ", ".join(p.name for p in self.positional) + ")"

    def bind(self, fields):
        """Finds the parameters that are names of fields. Called with the first sample."""
        self.names = []
        if self.everything:
            return
        wanted = [p.name for p in self.positional if p.default is p.empty]
        optional = [p.name for p in self.positional if p.default is not p.empty and p.name in fields]
        if not self.keyword_only and len(wanted) <= 1 and not any(name in fields for name in wanted):
            if wanted or not optional:
                return  # one parameter for the whole sample
        names = wanted + optional + self.keyword_only
        strange = [name for name in names if name not in fields]
        if strange:
            raise WrongPipeline(
                "%s has the parameter '%s': expected one parameter for the sample, or names of its fields (%s), %s"
                " or **fields" % (self.word, strange[0], ", ".join(fields), ", ".join(EXTRAS))
            )
        self.names = names

    @profile.calls
    def call(self, sample, about):
        """Calls the function; returns the fields of the result by name. `about` has the values of EXTRAS."""
        if self.names is None:
            self.bind(list(sample))
        extra = {name: about[name] for name in self.extras}
        if self.everything:
            result = self.function(**sample, **extra)
        elif self.names:
            result = self.function(**{name: sample[name] for name in self.names}, **extra)
        else:
            result = self.function(sample, **extra)
        if result is None:
            return sample
        if isinstance(result, dict):
            return {**sample, **result} if self.names else result
        if self.names and len(self.names) == 1:
            return {**sample, self.names[0]: result}
        if self.names and isinstance(result, (tuple, list)) and len(result) == len(self.names):
            return {**sample, **dict(zip(self.names, result))}
        raise BadResult("the type %s, expected a dict of fields, or None" % type(result).__name__)
