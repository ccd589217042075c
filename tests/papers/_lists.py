"""Where the files of facts register what each fact comes to."""


def lists():
    """Functions by fact, exact and simulated ones (with a tolerance), and what adds to either."""
    computed, near = {}, {}

    def computes(name):
        """Register what a fact comes to, word by word."""

        def register(function):
            computed[name] = function
            return function

        return register

    def comes_near(name, rel):
        """Register the numbers of a simulated fact: another draw gives them within so much."""

        def register(function):
            near[name] = rel, function
            return function

        return register

    return computed, near, computes, comes_near
