// Instants are written by the server in UTC; here they become the reader's own time.
function local(root) {
  for (const node of root.querySelectorAll("time[data-time]")) {
    const at = new Date(node.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const today = at.toDateString() === new Date().toDateString();
    node.textContent = today
      ? at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
      : at.toLocaleDateString([], { day: "numeric", month: "short" });
    node.title = at.toLocaleString();
    node.removeAttribute("data-time");
  }
}

document.addEventListener("htmx:afterSwap", (event) => local(event.target));
document.addEventListener("tide:swapped", (event) => local(event.detail.node));
local(document);

// The reader's own time zone is the likeliest one for a calendar that has none yet, where the server knows it
// and nothing else was typed.
const zone = document.querySelector("input[data-own-zone]");
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !zone.form?.querySelector("[aria-invalid]") && [...(zone.list?.options ?? [])].some((one) => one.value === own)) zone.value = own;
