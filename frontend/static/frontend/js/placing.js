// Placing rolled results: what is left, where each stands, and what the other side of its pair gets.

document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-placing]");
  if (form) show(form);
});
for (const form of document.querySelectorAll("[data-placing]")) show(form);

function show(form) {
  const rows = [...form.querySelectorAll("[data-pair]")];
  const taken = new Set(rows.map((row) => row.querySelector("select").value).filter(Boolean));
  for (const row of rows) place(row, taken, Number(form.dataset.placing));
  const all = [...rows[0].querySelectorAll("option")].filter((option) => option.value);
  const left = all.filter((option) => !taken.has(option.value)).map((option) => option.textContent);
  const says = form.querySelector("[data-left]");
  says.hidden = false;
  says.textContent = left.length ? `Still to place (${left.length}): ${left.join(", ")}` : "All results are placed.";
}

// One pair: a result that lies elsewhere cannot be taken twice, and both sides say what they come to.
function place(row, taken, total) {
  const select = row.querySelector("select");
  for (const option of select.options) {
    option.disabled = option.value !== "" && option.value !== select.value && taken.has(option.value);
  }
  const value = select.value === "" ? null : Number(select.selectedOptions[0].textContent);
  for (const side of row.querySelectorAll("[data-side]")) {
    const own = side.closest("label").querySelector("input").checked;
    side.textContent = value === null ? "" : String(own ? value : total - value);
  }
}
