// Asks the plugin www, which asks the plugin notes.
const list = document.querySelector('ul');
const status = document.querySelector('[role=status]');

async function ask(init) {
  const response = await fetch('/api/notes', init);
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

async function show() {
  const { notes } = await ask();
  list.replaceChildren(...notes.map(({ text }) => Object.assign(document.createElement('li'), { textContent: text })));
}

const tell = (error) => (status.textContent = error.message);

document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const { text } = event.target.elements;
  ask({ method: 'POST', body: text.value })
    .then(() => {
      text.value = '';
      return show();
    })
    .catch(tell);
});

show().catch(tell);
