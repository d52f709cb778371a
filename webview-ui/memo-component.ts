import { type Component, type FunctionComponent, h } from 'preact';

/** Wraps a component so that it renders again only if a property has changed. */
export function memo<P extends object>(component: FunctionComponent<P>): FunctionComponent<P> {
  function Memo(this: Component<P>, props: P) {
    this.shouldComponentUpdate = (next) => {
      const keys = new Set([...Object.keys(next), ...Object.keys(this.props)]) as Set<keyof P>;
      return [...keys].some((key) => (next as P)[key] !== (this.props as P)[key]);
    };
    return h(component, props);
  }
  return Memo as FunctionComponent<P>;
}
