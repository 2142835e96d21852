// Short messages at the edge of the page. Those the server rendered and those that modules say look the same.
const STAYS = 6000;

export function toast(text, tone = "") {
  const home = document.getElementById("toasts");
  const template = document.getElementById("toast-template");
  if (!home || !template) return;
  for (const shown of home.querySelectorAll("[data-toast]")) {
    if (shown.querySelector("span")?.textContent === text) shown.remove();
  }
  const node = template.content.firstElementChild.cloneNode(true);
  node.querySelector("span").textContent = text;
  if (tone) node.classList.add(`toast--${tone}`);
  home.append(node);
  leaveLater(node);
}

function leaveLater(node) {
  // An error stays until it is dismissed; nobody should have to read against a clock.
  if (node.matches(".toast--bad, .toast--error")) return;
  let timer = setTimeout(() => leave(node), STAYS);
  node.addEventListener("pointerenter", () => clearTimeout(timer));
  node.addEventListener("pointerleave", () => (timer = setTimeout(() => leave(node), STAYS / 2)));
}

function leave(node) {
  node.dataset.leaving = "";
  setTimeout(() => node.remove(), 400);
}

document.addEventListener("click", (event) => {
  const close = event.target.closest("[data-toast-close]");
  if (close) leave(close.closest("[data-toast]"));
});

// A server answer may carry a message: HX-Trigger: {"tide:toast": {"text": "...", "tone": "bad"}}
document.addEventListener("tide:toast", (event) => toast(event.detail.text, event.detail.tone));

document.querySelectorAll("[data-toast]").forEach(leaveLater);
