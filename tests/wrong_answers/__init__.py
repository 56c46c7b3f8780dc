"""For each exercise: wrong answers with the message they must get, and unusual right ones.

One module a lesson, ``lessonNN.py``, with two tables::

    WRONG = {"cosine": [(label, function, outcome, fragment of the message), ...]}   # three or more
    RIGHT = {"cosine": [(label, function), ...]}                                     # one or more

``outcome`` is "incorrect", "error" or "not attempted"; the fragment stands in ``result.text``
(message, likely mistake, notes). For an exercise that asks for a value, the "function" is the
value. A label that starts with "torch" is left out where torch is missing.
"""
