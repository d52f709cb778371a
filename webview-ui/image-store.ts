/**
 * The images of the workspace that the extension host has sent, by path. They are not part of the panel's state, which is compared often.
 */
import { useEffect, useState } from 'preact/hooks';

export type LoadedImage = { url?: string; problem?: string };

const images = new Map<string, LoadedImage>();
const listeners = new Set<() => void>();
const MAX_IMAGES = 50;

export function addImage({ path, ...image }: LoadedImage & { path: string }): void {
  const [oldest] = images.keys();
  if (images.size >= MAX_IMAGES && oldest !== undefined) images.delete(oldest);
  images.set(path, image);
  for (const listener of listeners) listener();
}

export function useImage(path: string): LoadedImage | undefined {
  const [image, setImage] = useState(() => images.get(path));
  useEffect(() => {
    const update = () => setImage(images.get(path));
    listeners.add(update);
    return () => void listeners.delete(update);
  }, [path]);
  return image;
}
