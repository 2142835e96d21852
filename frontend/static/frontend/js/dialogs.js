// A link with hx-get and hx-target="#dialog-body" opens its page as a sheet over this one. Without script the link
// leads to the same page in full.
const sheet = () => document.getElementById("dialog");

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id !== "dialog-body" || !event.target.hasChildNodes()) return;
  const dialog = sheet();
  if (!dialog.open) dialog.showModal();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog-open]");
  if (opener) document.getElementById(opener.dataset.dialogOpen)?.showModal();
  if (event.target.closest("[data-dialog-close]")) {
    event.preventDefault();
    event.target.closest("dialog")?.close();
  }
  // A press on the veil, outside the sheet.
  if (event.target instanceof HTMLDialogElement && event.target.matches(".dialog")) event.target.close();
});

document.addEventListener("tide:close-dialog", () => sheet()?.close());

document.addEventListener(
  "close",
  (event) => {
    if (event.target.id !== "dialog") return;
    document.getElementById("dialog-body").replaceChildren();
  },
  { capture: true },
);
