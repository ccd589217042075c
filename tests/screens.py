"""What tests of screens wait for before they look: an answer, a size, an end of all fading."""

DRAWN = """async () => {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  const ends = (one) => one.effect.getComputedTiming().endTime < Infinity;
  const fading = document.getAnimations().filter(ends);
  await Promise.all(fading.map((one) => one.finished.catch(() => 0)));
}"""


def settle(page):
    """Wait until a page is drawn: who watches a size has heard of it, and nothing fades."""
    page.evaluate(DRAWN)


def resize(page, width, height):
    """Give a page another size, and wait until it is drawn in it."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("width => innerWidth === width", arg=width)
    settle(page)


def current(page):
    """Wait until every panel has answered the last that it was told."""
    page.wait_for_function(
        "() => document.querySelector('.vk-answer')"
        " && !document.querySelector('.vk-pending, .vk-answer[aria-busy=true]')"
    )


def grave(page, axe, *rules):
    """What keeps somebody from using a page, by all rules of axe-core or by some, and where."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(axe)
    asked = {"runOnly": list(rules)} if rules else {}
    found = page.evaluate("async (asked) => (await axe.run(asked)).violations", asked)
    return [
        (each["id"], [node["html"][:160] for node in each["nodes"]][:3])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
