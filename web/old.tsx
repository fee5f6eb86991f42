import { h, type ComponentType as OldComponent, render } from 'preact';
import { useEffect, useRef } from 'react';

/** Shows a page that is not ported yet. */
export const old = <N extends object>(component: OldComponent<{ readonly names: N }>) =>
  function Old({ names }: { readonly names: N }) {
    const host = useRef<HTMLDivElement>(null);
    useEffect(() => {
      const place = host.current;
      if (!place) return;
      render(h(component, { names }), place);
      return () => render(null, place);
    }, [names]);
    return <div className="old" ref={host} />;
  };
