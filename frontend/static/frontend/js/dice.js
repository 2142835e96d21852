// Dice tumble, then lie on the face the server drew. What follows from them ([data-after-dice]) waits until they lie
// still. Nothing here decides a face. With reduced motion they simply lie there.
const still = matchMedia("(prefers-reduced-motion: reduce)");
const FLICKER = 70;
// Results whose dice this page has shown falling: data-tumble="<id>" falls once, however often it is fetched anew.
const shown = new Set();

function tumbleOne(die, delay) {
  const text = die.querySelector(".die__face");
  const face = die.dataset.face;
  const sides = Number(die.dataset.die);
  if (!text || face === undefined) return Promise.resolve();
  const length = 800 + delay;
  die.style.setProperty("--tumble", `${length}ms`);
  die.setAttribute("data-tumbling", "");
  let shown = 0;
  const flicker = setInterval(() => {
    shown = (shown * 7 + 3) % sides;
    text.textContent = String(shown + 1);
  }, FLICKER);
  return new Promise((resolve) => {
    setTimeout(() => {
      clearInterval(flicker);
      text.textContent = face;
    }, length * 0.72);
    setTimeout(() => {
      die.removeAttribute("data-tumbling");
      resolve();
    }, length + 40);
  });
}

export async function tumble(root) {
  const dice = [...root.querySelectorAll("[data-die][data-face]")];
  const after = [...root.querySelectorAll("[data-after-dice]")];
  if (!dice.length || still.matches) return;
  after.forEach((node) => node.setAttribute("data-waiting", ""));
  await Promise.all(dice.map((die, index) => tumbleOne(die, index * 180)));
  after.forEach((node) => node.removeAttribute("data-waiting"));
}

function tumbleFresh(root) {
  const fresh = root.matches?.("[data-tumble]") ? [root] : [...(root.querySelectorAll?.("[data-tumble]") ?? [])];
  for (const node of fresh) {
    const once = node.dataset.tumble;
    node.removeAttribute("data-tumble");
    if (once && shown.has(once)) continue;
    if (once) shown.add(once);
    tumble(node);
  }
}

document.addEventListener("htmx:afterSwap", (event) => tumbleFresh(event.target));
document.addEventListener("tide:swapped", (event) => tumbleFresh(event.detail.node));
document.addEventListener("click", (event) => {
  const again = event.target.closest("[data-tumble-again]");
  if (again) tumble(again.closest("[data-dice-box]") ?? document.body);
});
tumbleFresh(document.body);
