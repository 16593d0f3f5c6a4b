"use strict";
// a form is sent once: a page that is on its way out takes no further act
let sent = false;
document.addEventListener("submit", (event) => {
  if (sent) event.preventDefault();
  sent = true;
});
window.addEventListener("pageshow", () => (sent = false));

// keys: an element with data-key is activated by that key, unless somebody is typing
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || sent) return;
  if (event.target.closest("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const wanted = [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === event.key);
  if (!wanted) return;
  event.preventDefault();
  // a link leaves the page as a form does: the next key is meant for the page that comes
  if (wanted.tagName === "A") sent = true;
  wanted.click();
  const wording = wanted.tagName === "SUMMARY" && wanted.parentElement.querySelector("input.long");
  if (wording) {
    wording.focus();
    wording.setSelectionRange(wording.value.length, wording.value.length);
  }
});

// progress of a run at work
const progress = document.getElementById("progress");
async function follow() {
  try {
    const answer = await fetch(progress.dataset.address, { cache: "no-store" });
    if (answer.ok) {
      const told = await answer.json();
      for (const place of progress.querySelectorAll("[data-name]")) {
        const name = place.dataset.name;
        place.textContent = name === "at_work" ? (told.at_work ? "at work" : "not at work") : told[name];
      }
      if (!told.at_work) return;
    }
  } catch {
    // the server is away for a moment: ask again
  }
  setTimeout(follow, 2000);
}
if (progress && progress.dataset.atWork === "true") follow();
