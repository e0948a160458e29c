/** The page came in answer to a form: loading it again must show the dashboard, not send the form twice. */
history.replaceState(null, '', '/dashboard');
document.querySelector<HTMLElement>('.fresh')?.scrollIntoView({ block: 'center' });
