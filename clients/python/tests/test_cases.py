import pytest
from case_runner import all_cases, run_case

CASES = all_cases()


def titled(case):
    return f"{case['id']}: {case['title']}"


def test_the_table_is_there():
    assert len(CASES) > 80


@pytest.mark.parametrize("case", [case for case in CASES if "needs" not in case], ids=titled)
def test_sync(case):
    run_case(case, is_async=False)


@pytest.mark.parametrize("case", CASES, ids=titled)
def test_async(case):
    run_case(case, is_async=True)
