// What nobody at the table may miss: a question, one's own turn. A countdown to when silence passes; a word in the
// title of the page; a notification where it was wished for.
import { notify, offer } from "./notify.js";

const title = document.title;
let before = "";

function state() {
  if (document.querySelector("#b-ask [data-asks]")) return "You are asked";
  if (document.querySelector("[data-my-turn]")) return "Your turn";
  return document.querySelector("#asked-of-me .call-in strong")?.textContent ?? "";
}

function look() {
  const now = state();
  document.title = now ? `● ${now} · ${title}` : title;
  if (now && now !== before) arrive(now);
  before = now;
}

// One's own number fell: a blow that nobody may miss, until it is tapped away or some seconds have passed.
const stood = new Map();

function struck() {
  const blows = [];
  for (const one of document.querySelectorAll("[data-own]")) {
    const [who, now] = [one.dataset.fighter, Number(one.dataset.own)];
    const was = stood.get(who);
    if (was !== undefined && now < was) blows.push(`${one.dataset.ownSays} ${was} \u2192 ${now}`);
    stood.set(who, now);
  }
  if (!blows.length) return;
  document.querySelector(".blow")?.remove();
  const panel = document.createElement("button");
  panel.type = "button";
  panel.className = "blow";
  panel.setAttribute("role", "alert");
  panel.textContent = blows.join(". ");
  panel.addEventListener("click", () => panel.remove());
  document.getElementById("b-turn")?.before(panel);
  setTimeout(() => panel.remove(), 12000);
  arrive(blows.join(". "));
}

function arrive(said) {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(80);
  const panel = document.querySelector("#b-ask [data-asks]");
  if (panel && !document.querySelector("dialog[open]")) panel.scrollIntoView({ block: "start" });
  notify(said, document.querySelector("#asked-of-me .call-in")?.href);
}

const closed = new Set();

function tick() {
  const clock = document.querySelector("[data-deadline]");
  if (!clock) return;
  const left = Math.ceil((new Date(clock.dataset.deadline) - Date.now()) / 1000);
  const words = left > 0 ? `${left} s` : "time is up";
  if (clock.textContent !== words) clock.textContent = words;
  clock.classList.toggle("waiting__clock--short", left <= 10);
  if (left <= 0) close(clock.dataset.deadline);
}

// Silence is passing. Every page of the table may say so; the first counts, and the server knows whether it is true.
function close(deadline) {
  const form = document.querySelector("form[data-close]");
  if (!form || closed.has(deadline)) return;
  closed.add(deadline);
  setTimeout(() => {
    if (!form.isConnected) return;
    fetch(form.action, { method: "POST", body: new FormData(form), headers: { "HX-Request": "true" } }).catch(() => closed.delete(deadline));
  }, 300 + Math.random() * 900);
}

// A screen reader hears what happens in a sentence.
document.addEventListener("tide:event", ({ detail }) => {
  const say = document.querySelector("[data-board-say]");
  if (say && detail.type.startsWith("encounter.") && detail.says) say.textContent = detail.says;
});

document.addEventListener("tide:swapped", ({ detail }) => {
  if (detail.node.id === "b-order") struck();
  if (detail.node.id === "b-ask" || detail.node.id === "b-turn" || detail.node.id === "asked-of-me") look();
});

offer();
if (document.querySelector("#asked-of-me")) {
  struck();
  look();
}
if (document.querySelector("#b-ask")) {
  setInterval(tick, 500);
  tick();
}
