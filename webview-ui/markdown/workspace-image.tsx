import { useEffect } from 'preact/hooks';
import { post } from '../host.ts';
import { useImage } from '../image-store.ts';

/** An image in the workspace, which the extension host reads. Images from the web are never loaded. */
export function WorkspaceImage({ path, alt }: { path: string; alt: string }) {
  const image = useImage(path);
  useEffect(() => {
    if (image === undefined) post({ type: 'load_image', path });
  }, [path]);
  const name = alt || path;
  return image?.url ? (
    <button type="button" class="image" title={`Open ${path}`} onClick={() => post({ type: 'open_file', path })}>
      <img src={image.url} alt={name} />
    </button>
  ) : (
    <span class="dim">
      {name} ({image?.problem ?? path})
    </span>
  );
}
