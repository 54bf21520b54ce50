"""Which links belong to the crawl: rules that each answer one question, in a sequence whose last answer wins. Pure."""

from gossamer.scope.build import build_scope
from gossamer.scope.hop_rules import depth_after
from gossamer.scope.rule import DecideRule, Decision, RuleSequence, Verdict

__all__ = ["DecideRule", "Decision", "RuleSequence", "Verdict", "build_scope", "depth_after"]
