// Filters the list of operations. The page works without it.
const filter = document.querySelector('#filter');
const items = [...document.querySelectorAll('nav li')];

filter.hidden = false;
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/);
  for (const item of items) {
    const text = `${item.textContent} ${item.firstElementChild.hash}`.toLowerCase();
    item.hidden = !words.every((word) => text.includes(word));
  }
  for (const section of document.querySelectorAll('nav section')) {
    section.hidden = section.querySelector('li:not([hidden])') === null;
  }
});
