// Writes the rows that are chosen in a chart into the hidden text field of its Selection, as if they had been typed.
(function () {
  "use strict";
  Array.prototype.forEach.call(document.querySelectorAll(".gosphere-selection"), function (box) {
    if (box.getAttribute("data-linked")) return;
    box.setAttribute("data-linked", "1");
    box.addEventListener("gosphere-chosen", function (event) {
      var field = document.querySelector("." + box.getAttribute("data-rows") + " input");
      if (!field) return;
      field.value = JSON.stringify(event.detail);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
  });
})();
