/** The page came in answer to a form: loading it again must show what it names, not send the form twice. */
history.replaceState(null, '', document.body.dataset['again']);
document.querySelector<HTMLElement>('.fresh')?.scrollIntoView({ block: 'center' });
