// Shows the headings that have every word of the field in them or below them; those with the words in the heading come first.
const place = document.getElementById("search");
const field = document.createElement("input");
const found = document.createElement("ul");
field.type = "search";
field.placeholder = "Search";
field.setAttribute("aria-label", "Search");
place.append(field, found);

field.addEventListener("input", () => {
  const wanted = field.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
  found.replaceChildren();
  if (wanted.length === 0) return;
  const all = (text) => wanted.every((word) => text.toLowerCase().includes(word));
  const first = entries.filter(([heading]) => all(heading));
  const rest = entries.filter((e) => !first.includes(e) && all(e[0] + " " + e[3]));
  for (const [heading, page, address] of first.concat(rest).slice(0, 30)) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = document.body.dataset.root + address;
    link.textContent = heading === page ? heading : heading + " (" + page + ")";
    item.append(link);
    found.append(item);
  }
});
