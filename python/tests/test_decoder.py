from .fuzz import fuzz


def test_mutated_messages_plans_and_buffers_are_decoded_or_refused():
    counts = fuzz(20_000, seed=7)
    assert counts["accepted"] > 1000 and counts["refused"] > 5000
