// Regions that follow the table: [data-live="member owner"] names the first words of the event types that concern it.
// What the feed brings in one breath is fetched once: the same page again, of which the stale regions are taken. The
// header names them, so that a page of large parts may send those alone.
const BREATH = 60;
const stale = new Set();
let timer;

function mark(words) {
  for (const region of document.querySelectorAll("[data-live][id]")) {
    if (!words || region.dataset.live.split(" ").some((word) => words.includes(word))) stale.add(region.id);
  }
  if (!stale.size) return;
  clearTimeout(timer);
  timer = setTimeout(refresh, BREATH);
}

// Somebody types or chooses in there: what they began must not be taken away from under them.
function occupied(region) {
  const here = region.contains(document.activeElement) && document.activeElement.matches("input, textarea, select");
  return here || region.querySelector("form[data-sent], :popover-open, dialog[open], [data-tumbling]") !== null;
}

// A form of a whole page was sent: the answer is on its way, and this page may be gone already (a character finished).
let leaving = false;
document.addEventListener("submit", (event) => {
  queueMicrotask(() => {
    if (event.defaultPrevented || event.target.hasAttribute("hx-post")) return;
    leaving = true;
    setTimeout(stay, 5000);
  });
});
addEventListener("pageshow", stay);

function stay() {
  if (leaving && stale.size) setTimeout(refresh, BREATH);
  leaving = false;
}

async function refresh() {
  if (leaving) return;
  const ids = [...stale];
  stale.clear();
  const answer = await fetch(location.href, { headers: { "X-Live": ids.join(" ") } }).catch(() => null);
  if (!answer) return;
  if (leaving) return ids.forEach((id) => stale.add(id));
  if (answer.redirected || answer.status === 403 || answer.status === 404) return location.reload();
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ids) swap(document.getElementById(id), fresh.getElementById(id));
}

function swap(old, fresh) {
  if (!old || !fresh || old.isEqualNode(fresh)) return;
  if (occupied(old)) {
    stale.add(old.id);
    clearTimeout(timer);
    timer = setTimeout(refresh, 2000);
    return;
  }
  const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
  for (const details of old.querySelectorAll("details[id][open]")) fresh.querySelector(`#${details.id}`)?.setAttribute("open", "");
  const node = document.importNode(fresh, true);
  old.replaceWith(node);
  window.htmx?.process(node);
  if (focused) document.getElementById(focused)?.focus();
  document.dispatchEvent(new CustomEvent("tide:swapped", { detail: { node } }));
}

document.addEventListener("tide:event", ({ detail }) => mark([detail.type.split(".")[0]]));
document.addEventListener("tide:again", ({ detail }) => mark(["events", detail.type.split(".")[0]]));
document.addEventListener("tide:renew", () => mark(null));
document.addEventListener("tide:close-dialog", () => mark(null));
