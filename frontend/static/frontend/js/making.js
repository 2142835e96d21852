// A character being made: every choice is sent when it is made, and the parts of the page that follow from it come
// back. What somebody is in the middle of is left alone. Without script the form's own button does the same.
const WAIT = 250;
const OWN = 1500;
const form = document.querySelector("[data-making-form]");
let timer, busy, again, sent, kept = 0;

function number() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function say(text) {
  const kept = document.getElementById("making-kept");
  if (kept) kept.textContent = text;
}

async function keep() {
  if (sent) return;
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  again = false;
  say("Keeping …");
  const data = new FormData(form);
  data.set("command_id", number());
  data.set("act", "keep");
  const answer = await fetch(form.action, { method: "POST", body: data, headers: { "X-Live": "1" } }).catch(() => null);
  busy = false;
  if (sent) return;
  if (!answer) return say("Not kept: no connection. Your next choice tries again.");
  kept = Date.now();
  if (answer.redirected) return location.assign(answer.url);
  if (answer.status === 404) return location.reload();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (again) return keep();
  take(page);
  say(answer.ok ? "Kept." : "Not kept; see below.");
}

// Another device chose: what it changed comes in, unless this one is about to say something itself.
async function follow() {
  if (busy || sent || Date.now() - kept < OWN) return;
  const answer = await fetch(form.action, { headers: { "X-Live": "1" } }).catch(() => null);
  if (!answer || busy || sent) return;
  if (answer.redirected) return location.assign(answer.url);
  if (answer.ok) take(new DOMParser().parseFromString(await answer.text(), "text/html"));
}

// Only what differs, from the outside in; a part that somebody types or chooses in stays, its inner parts follow.
function take(page) {
  const before = new Map([...document.querySelectorAll("[data-number]")].map((one) => [one.dataset.number, one.textContent]));
  for (const old of document.querySelectorAll("[data-part][id]")) {
    if (!old.isConnected) continue;
    const fresh = page.getElementById(old.id);
    if (!fresh || old.isEqualNode(fresh)) continue;
    const held = old.contains(document.activeElement) && document.activeElement.matches("input, textarea, select, button");
    if (held) continue;
    for (const open of old.querySelectorAll("details[id]")) fresh.querySelector(`#${open.id}`)?.toggleAttribute("open", open.open);
    if (!old.isEqualNode(fresh)) old.replaceWith(document.importNode(fresh, true));
  }
  for (const one of document.querySelectorAll("[data-number]")) {
    if (before.has(one.dataset.number) && before.get(one.dataset.number) !== one.textContent) one.classList.add("is-new");
  }
}

document.addEventListener("click", (event) => {
  const step = event.target.closest("[data-step]");
  if (step) {
    const field = step.parentElement.querySelector("input");
    const to = (Number.parseInt(field.value, 10) || 0) + Number(step.dataset.step);
    if ((field.min !== "" && to < Number(field.min)) || (field.max !== "" && to > Number(field.max))) return;
    field.value = to;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  if (event.target.closest("[data-print]")) window.print();
});

if (form) {
  form.addEventListener("change", () => {
    clearTimeout(timer);
    timer = setTimeout(keep, WAIT);
  });
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    sent = true;
  });
  document.body.addEventListener("tide:draft-chosen", follow);
  document.body.addEventListener("tide:draft-finished", follow);
  if (location.hash.startsWith("#choice-")) document.querySelector(`${location.hash} :is(input, select, textarea):not([type=hidden])`)?.focus({ preventScroll: true });
  addEventListener("pageshow", () => (sent = false));
  document.querySelector(".steps [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}
