/** Buttons with `data-copy`, which are hidden until somebody answers them, copy the text of the element of that id, and say so. */
for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', () => { void copyFor(button); });
}

async function copyFor(button: HTMLElement): Promise<void> {
  const source = document.getElementById(button.dataset['copy'] ?? '');
  if (source === null) return;
  const copied = await copy(source);
  const told = button.closest('section, figure, div')?.querySelector('[data-copied]');
  if (told !== null && told !== undefined) told.textContent = copied ? 'Copied.' : 'It is selected: copy it with the keyboard.';
}

/** Without TLS a browser has no clipboard for pages; then the text is at least selected. */
async function copy(source: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return false;
  }
}
