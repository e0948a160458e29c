type Node = unknown;
type Component = (props: Props) => Node;
type Props = {
  readonly getComponent: (name: string, connected?: boolean) => Component;
  readonly specSelectors: { loadingStatus(): string; info(): { get(name: 'description'): string } };
  readonly children?: Node;
  readonly text?: Node;
};
type System = { readonly React: { createElement(kind: string | Component, props: object | null, ...children: Node[]): Node } };
declare global {
  interface Window {
    SwaggerUIBundle?: (settings: object) => unknown;
  }
}

const LOADING = 'Loading the reference.';
const FAILED = 'The reference could not be loaded.';

const place = document.getElementById('reference')!;
const told = place.firstElementChild!;
told.classList.remove('unscripted');
told.textContent = LOADING;
const script = document.createElement('script');
script.src = place.dataset['script']!;
script.addEventListener('load', draw);
script.addEventListener('error', () => { told.textContent = FAILED; });
document.head.append(script);

function draw(): void {
  window.SwaggerUIBundle?.({
    domNode: place,
    url: '/openapi.json',
    layout: 'Reference',
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    syntaxHighlight: { activated: false },
    // Trying out would put keys into the page; the playground needs none.
    supportedSubmitMethods: [],
    plugins: [house],
  });
}

/** The guide and the endpoints, within our page: its heading, its one main part, and names for all that can be reached. */
function house({ React }: System): object {
  const { createElement } = React;
  const layout: Component = ({ getComponent, specSelectors }) => {
    const status = specSelectors.loadingStatus();
    if (status !== 'success') return createElement('p', { className: 'hint', role: 'status' }, status.startsWith('failed') ? FAILED : LOADING);
    return createElement('div', { className: 'swagger-ui' },
      createElement(getComponent('SvgAssets'), null),
      createElement('div', { className: 'guide' }, createElement(getComponent('Markdown', true), { source: specSelectors.info().get('description') })),
      createElement('h2', { className: 'unseen' }, 'Endpoints'),
      createElement(getComponent('operations', true), null));
  };
  return {
    components: { Reference: layout },
    wrapComponents: {
      authorizeOperationBtn: () => () => null,
      // A link within a button cannot be reached.
      DeepLink: () => ({ text }: Props) => createElement('span', null, text),
      ExamplesSelect: (select: Component) => (props: Props) => createElement('label', null, createElement('span', { className: 'unseen' }, 'Example'), createElement(select, props)),
      PlainTextViewer: () => ({ children }: Props) => createElement('pre', { tabIndex: 0 }, children),
    },
  };
}
