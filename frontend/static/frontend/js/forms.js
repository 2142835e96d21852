// One press, one command. A form is sent once; while its answer is on the way a second press says so and sends
// nothing. Should it reach the server twice all the same, the command's id makes the second change nothing.
import { toast } from "./toasts.js";

const ONCE = "form[data-once], form:has(> input[name=command_id])";

function setBusy(form, busy) {
  const buttons = [...form.querySelectorAll("button:not([type=button])")];
  if (form.id) buttons.push(...document.querySelectorAll(`button[form="${CSS.escape(form.id)}"]`));
  for (const button of buttons) {
    button.toggleAttribute("data-busy", busy);
    if (busy) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
  form.toggleAttribute("data-sent", busy);
}

document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (!form.matches(ONCE)) return;
    if (form.hasAttribute("data-sent")) {
      event.preventDefault();
      event.stopImmediatePropagation();
      toast("Already sent. Pressing again changes nothing.");
      return;
    }
    // After this turn, so that the pressed button's own name and value are still sent.
    queueMicrotask(() => {
      if (!event.defaultPrevented || form.hasAttribute("hx-post")) setBusy(form, true);
    });
  },
  { capture: true },
);

function settle(event) {
  const form = event.target.closest?.("form") ?? event.target;
  if (form instanceof HTMLFormElement) setBusy(form, false);
}

document.addEventListener("htmx:afterRequest", settle);

// Coming back by the browser's back button finds the form as it was before.
addEventListener("pageshow", (event) => {
  if (event.persisted) document.querySelectorAll("form[data-sent]").forEach((form) => setBusy(form, false));
});

for (const kind of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(kind, () => {
    toast("The server did not answer. Nothing may have happened yet; press again, it will count once.", "bad");
  });
}

document.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  if (status === 403) toast("You are not allowed to do that, or this page is too old. Reload it and try again.", "bad");
  else if (status === 404) toast("That is gone, or was never yours to see.", "bad");
  else if (status >= 500) toast("Something broke on the server. The ledger is safe; try again in a moment.", "bad");
});

// A refused command answers 4xx with the form and its reasons: show it in place instead of dropping it.
document.addEventListener("htmx:beforeSwap", (event) => {
  const status = event.detail.xhr.status;
  if (status === 409 || status === 422) {
    event.detail.shouldSwap = true;
    event.detail.isError = false;
    keepFiles(event.detail.target);
  }
});

// The answer to a refused form cannot say which file was chosen: it stays chosen in the form that comes.
let chosen = new Map();

function keepFiles(target) {
  const inputs = [...target.querySelectorAll("input[type=file]")];
  chosen = new Map(inputs.filter((one) => one.files.length).map((one) => [one.name, one.files]));
}

document.addEventListener("htmx:afterSwap", (event) => {
  for (const input of event.target.querySelectorAll?.("input[type=file]") ?? []) {
    if (chosen.has(input.name) && !input.files.length) input.files = chosen.get(input.name);
  }
  chosen = new Map();
});

document.addEventListener("htmx:afterSwap", (event) => {
  const wrong = event.target.querySelector?.("#refusal, [aria-invalid=true]");
  if (!wrong) return;
  wrong.focus({ preventScroll: true });
  wrong.scrollIntoView({ block: "center" });
});

// data-copy="#id": copies that element's text or value.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.querySelector(button.dataset.copy);
  const text = source?.value ?? source?.textContent ?? "";
  try {
    await navigator.clipboard.writeText(text.trim());
    toast("Copied.");
  } catch {
    source?.select?.();
    toast("Press copy on your keyboard; the browser would not let us.");
  }
});
