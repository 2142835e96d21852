// The ledger on the page: each event the feed brings becomes an entry on top, written by text alone (never as HTML).
import { tumble } from "./dice.js";

// How the server draws an event, by the first word of its type: {"test": ["dice", "die"], ...}
const told = document.getElementById("entry-kinds");
const KINDS = told ? JSON.parse(told.textContent) : {};
const OTHER = ["note", "feather"];

// The dice that an event shows, on templates that the server drew.
function lay(home, data) {
  const rolls = Object.values(data.dice_holders && Object.keys(data.dice_holders).length ? data.dice_holders : (data.dice ?? {}));
  for (const seen of rolls.flat()) {
    const template = document.getElementById(`die-${seen.sides}`);
    if (!template) continue;
    const die = template.content.firstElementChild.cloneNode(true);
    die.dataset.face = seen.face;
    die.classList.remove("die--blank");
    die.classList.toggle("die--dropped", seen.kept === false);
    die.querySelector(".die__face").textContent = seen.face;
    die.setAttribute("aria-label", `d${seen.sides}: ${seen.face}`);
    home.append(die);
  }
  home.hidden = !home.childElementCount;
}

function write(template, event) {
  const node = template.content.firstElementChild.cloneNode(true);
  const [kind, icon] = KINDS[event.type.split(".")[0]] ?? OTHER;
  node.dataset.kind = kind;
  node.dataset.act = event.act ?? "";
  node.classList.add("entry--new");
  node.classList.toggle("entry--voided", Boolean(event.voided));
  const use = node.querySelector("use");
  use?.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${icon}`));
  node.querySelector("[data-says]").textContent = event.says;
  const report = node.querySelector("[data-report]");
  if (event.type === "period.closed" && !event.voided && report) {
    const { rung, number } = event.data;
    report.href = report.getAttribute("href").replace("RUNG/0", `${encodeURIComponent(rung)}/${Number(number)}`);
    report.hidden = false;
  } else report?.remove();
  node.querySelector("[data-by]").textContent = event.actor?.name ?? "";
  lay(node.querySelector("[data-dice]"), event.data ?? {});
  const act = node.querySelector("[data-entry-act]");
  if (act && event.type === "events.voided") act.remove();
  else if (act) {
    act.href = act.getAttribute("href").replace("CURSOR", event.cursor);
    act.setAttribute("hx-get", act.getAttribute("href"));
    act.setAttribute("aria-label", `Take back: ${event.says}`);
  }
  const time = node.querySelector("time");
  const at = new Date(event.recorded);
  time.dateTime = event.recorded;
  time.textContent = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const happened = node.querySelector("[data-happened]");
  if (happened && event.at.slice(0, 10) !== event.recorded.slice(0, 10)) {
    const day = happened.querySelector("time");
    day.dateTime = event.at;
    day.textContent = new Date(event.at).toLocaleDateString([], { day: "numeric", month: "short" });
    happened.hidden = false;
  }
  return node;
}

// What came of the entry on top, by the same act, stands below it; an award is not said twice.
function add(entry, event) {
  const list = entry.querySelector(".entry__details");
  if (event.type.startsWith("growth.")) list.querySelector('[data-type="pursuit.given"]')?.remove();
  const said = [entry.querySelector("[data-says]"), ...list.children].map((one) => one?.textContent);
  if (!event.data?.dice && said.includes(event.says)) return;
  const item = document.createElement("li");
  if (event.type !== "pursuit.given" || !Object.keys(event.data?.withheld ?? {}).length) item.dataset.type = event.type;
  item.classList.toggle("struck", Boolean(event.voided));
  item.append(event.says);
  const dice = document.createElement("div");
  dice.className = "dice entry__more";
  lay(dice, event.data ?? {});
  if (!dice.hidden) item.append(dice);
  list.append(item);
  tumble(item);
}

export function mountLedger() {
  const template = document.getElementById("entry-template");
  if (!template) return;
  document.body.addEventListener("tide:event", ({ detail }) => {
    const list = document.querySelector("[data-ledger]");
    if (!list || !detail.says || detail.data?.quiet) return;
    const skips = (list.dataset.skip ?? "").split(" ");
    if (skips.includes(detail.type) || skips.includes(detail.type.split(".")[0])) return;
    list.querySelector("[data-ledger-empty]")?.remove();
    const top = list.firstElementChild;
    if (detail.act && top?.dataset.act === detail.act) return add(top, detail);
    const node = write(template, detail);
    list.prepend(node);
    window.htmx?.process(node);
    const most = Number(list.dataset.ledger) || 50;
    while (list.children.length > most) list.lastElementChild.remove();
    tumble(node);
  });
}
