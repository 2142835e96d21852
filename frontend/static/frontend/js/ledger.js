// The ledger on the page: each event the feed brings becomes an entry on top, written by text alone (never as HTML).
import { tumble } from "./dice.js";

const KINDS = [
  [/^test\.|roll/, "dice", "die"],
  [/mark/, "mark", "mark"],
  [/season|week|year|calendar|clock/, "time", "season"],
  [/member|role|owner|invitation|joined|left/, "people", "members"],
  [/void|correct/, "gm", "undo"],
];

export function kindOf(type) {
  for (const [pattern, kind, icon] of KINDS) if (pattern.test(type)) return [kind, icon];
  return ["note", "feather"];
}

function write(template, event) {
  const node = template.content.firstElementChild.cloneNode(true);
  const [kind, icon] = kindOf(event.type);
  node.dataset.kind = kind;
  node.classList.add("entry--new");
  node.classList.toggle("entry--voided", Boolean(event.voided));
  const use = node.querySelector("use");
  use?.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${icon}`));
  node.querySelector("[data-says]").textContent = event.says;
  node.querySelector("[data-by]").textContent = event.actor?.name ?? "";
  const time = node.querySelector("time");
  const at = new Date(event.at);
  time.dateTime = event.at;
  time.textContent = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return node;
}

export function mountLedger() {
  const template = document.getElementById("entry-template");
  if (!template) return;
  document.body.addEventListener("tide:event", ({ detail }) => {
    const list = document.querySelector("[data-ledger]");
    if (!list || !detail.says) return;
    list.querySelector("[data-ledger-empty]")?.remove();
    const node = write(template, detail);
    list.prepend(node);
    const most = Number(list.dataset.ledger) || 50;
    while (list.children.length > most) list.lastElementChild.remove();
    tumble(node);
  });
}
