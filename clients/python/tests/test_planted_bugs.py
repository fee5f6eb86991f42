"""The table of cases finds each of these bugs."""

import importlib
import shutil
import sys
from pathlib import Path

import pytest
from case_runner import all_cases

SOURCE = Path(__file__).parents[1] / "src" / "sombus"

#: The file, the bug, what stands there and what stands there instead.
BUGS = [
    ("attempts", "nothing is tried again", "if pause is not None:\n                yield", "if False:\n                yield"),
    ("attempts", "a 429 is final", "{429, 502, 503, 504}", "{502, 503, 504}"),
    ("attempts", "a 503 is final", "{429, 502, 503, 504}", "{429, 502, 504}"),
    ("attempts", "a conflict is tried again", "{429, 502, 503, 504}", "{409, 429, 502, 503, 504}"),
    ("attempts", "Retry-After is not read", "float(outcome.retry_after_seconds) + wait", "wait"),
    ("attempts", "the pauses do not double", "2 ** (number - 1)", "1"),
    ("attempts", "the deadline is not kept", "self._outside.now() + pause >= deadline", "False"),
    ("attempts", "a used-up quota is tried again", "return None if is_quota else wait", "return wait"),
    ("core", "every call asks for a token", "self._outside.now() < self._token[1]", "False"),
    ("core", "a token is never renewed", "self._outside.now() < self._token[1]", "True"),
    ("core", "a token is renewed when it has ended", "- min(_MAX_TOKEN_MARGIN, seconds / 10)", ""),
    ("aio", "a call that waits for a token outlasts its deadline", "wait_for(self._lock.acquire(), seconds)", "wait_for(self._lock.acquire(), None)"),
    ("core", "id and secret are not encoded", 'quote(part, safe="")', "part"),
    ("core", "a refused token is the end", "response.status != 401 or is_last", "True"),
    ("core", "a refused token is used again", "self._token[0] == token", "False"),
    ("core", "the dry run publishes", '"messages" if route == "publish" else "validate"', '"messages"'),
    ("core", "numbers of the text are rounded", "text=text", "text=json.dumps(record['envelope'])"),
    ("envelope", "a chain is not continued", 'cause["correlation_id"] if cause else None', "None"),
    ("envelope", "the id has no version", "0x70 |", "0x00 |"),
    ("verdicts", "a duplicate counts as accepted", 'body.get("duplicate") is True', "False"),
    ("verdicts", "only the first reason is told", "for one in members\n", "for one in members[:1]\n"),
    ("deliveries", "messages are not acknowledged", "self._handled.append(self._current)", "pass"),
    ("deliveries", "acknowledged before it is handled", "self._current = message\n", "self._handled.append(message); yield from self._flush()\n"),
    ("deliveries", "later messages pass a released one", "if message.receipt_handle in self._open:\n            self._stuck.add(message.correlation_id)", "pass"),
    ("deliveries", "the order of a pull is turned round", "list(messages), set()", "list(messages)[::-1], set()"),
    ("deliveries", "what has expired is still handled", "self._waiting.clear()", "pass"),
    ("deliveries", "a late release holds later messages back", "if message.receipt_handle in self._open:\n            self._stuck", "if True:\n            self._stuck"),
    ("deliveries", "a late acknowledgement holds later messages back", "if message.receipt_handle in self._open:\n                self._stuck", "if True:\n                self._stuck"),
    ("deliveries", "what was handled is acknowledged twice", " and message not in self._handled", ""),
    ("deliveries", "handled messages wait for the end of the pull", "min(self._half_time, self._acknowledge_at, self._carried_until)", "min(self._half_time, self._carried_until)"),
    ("deliveries", "time counts from the response", "pulled.messages, pulled.asked_at", "pulled.messages, self._outside.now()"),
    ("deliveries", "an acknowledgement without a response ends the consumer", "if not _is_passing(error):\n                raise\n            return [", "raise\n            return ["),
    ("pace", "a consumer is never paced", "return min(at_full_speed / refilled.share", "return 0 * min(at_full_speed / refilled.share"),
    ("pace", "a message costs nothing", "messages * _MESSAGE_COST)", "0)"),
    ("pace", "a consumer that lags does not hurry", "max(1.0, lag / _LAG_SECONDS)", "1.0"),
    ("pace", "a lag speeds up without end", "min(_MAX_HASTE, max(1.0, lag / _LAG_SECONDS))", "max(1.0, lag / _LAG_SECONDS)"),
    ("pace", "a consumer owes nothing", "max(-pace.requests_per_minute, pace.budget - cost)", "max(0.0, pace.budget - cost)"),
    ("pace", "a consumer owes without end", "max(-pace.requests_per_minute, pace.budget - cost)", "pace.budget - cost"),
    ("pace", "a 429 does not slow down", "min(0.0, refilled.budget), share=share, slow_until=now + _SLOW_SECONDS", "refilled.budget"),
    ("pace", "a second 429 does not slow down further", "refilled.share * _SHARE_AFTER_REFUSAL", "_SHARE_AFTER_REFUSAL"),
    ("pace", "silence saves without end", "budget = min(_MAX_BUDGET, pace.budget + earned)", "budget = pace.budget + earned"),
    ("deliveries", "old messages are a lag although no more wait", "0.0 if is_drained else _lag(pulled)", "_lag(pulled)"),
    ("deliveries", "a pull goes shortly before an ack is due", "pull_at + self._options.visibility * _AHEAD_SHARE >=", "pull_at >="),
    ("deliveries", "an ack waits until a pull gets through", "min(self._seconds, self._acknowledge_by() - began)", "self._seconds"),
    ("deliveries", "what is held back is pulled in vain again", "self._max_unacknowledged = unacknowledged - maximum", "pass"),
    ("core", "a producer is never paced", "if pause > 0:", "if False:"),
    ("core", "a retry of a publish costs nothing", "if attempt.number > 1:", "if False:"),
    ("core", "a 429 does not slow a producer down", "if attempt.status == 429:", "if False:"),
    ("core", "a publish waits for its turn to its deadline", "seconds / 2)", "seconds)"),
    ("deliveries", "a 429 ends a consumer", "if (options.until_empty and not is_ahead) or not _is_passing(error):", "if True:"),
    ("deliveries", "Retry-After of a pull is not kept", "return float(refusal.retry_after_seconds)", "return _IDLE_PULL_SECONDS"),
    ("deliveries", "slowness is told again and again", "is_slow and not self._is_slow_told and", "is_slow and"),
    ("deliveries", "full pulls are acknowledged one by one", "waiting > 0 and (not self._is_full or waiting > self._max_unacknowledged)", "waiting > 0"),
    ("deliveries", "a pull waits for what is held back", "0 if is_ahead else min(", "min("),
    ("deliveries", "what is held back ends the consumer", "not messages and not self._handled", "not messages"),
    ("deliveries", "an ack waits beyond a quarter of the time", "_sleep_until(min(pull_at, acknowledge_by))", "_sleep_until(pull_at)"),
    ("deliveries", "what was carried waits for the end of the pull", "min(self._half_time, self._acknowledge_at, self._carried_until)", "min(self._half_time, self._acknowledge_at)"),
    ("core", "the wait of a poll counts against the deadline", "send(request, deadline + wait)", "send(request, deadline)"),
    ("deliveries", "leaving releases nothing", "if is_answered and handles and", "if False and"),
]


@pytest.mark.parametrize(("file", "bug", "find", "replace"), BUGS, ids=[bug for _file, bug, *_rest in BUGS])
def test_found(file, bug, find, replace, tmp_path, monkeypatch):
    shutil.copytree(SOURCE, tmp_path / "sombus")
    path = tmp_path / "sombus" / f"{file}.py"
    source = path.read_text()
    assert source.count(find) == 1
    path.write_text(source.replace(find, replace))
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.split(".")[0] in ("sombus", "case_runner")]:
        monkeypatch.delitem(sys.modules, name)
    runner = importlib.import_module("case_runner")
    assert Path(runner.sombus.__file__).parent == tmp_path / "sombus"
    with pytest.raises(BaseException):
        for case in all_cases():
            runner.run_case(case, is_async="needs" in case)
