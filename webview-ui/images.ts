/** Images that the user pastes or drops, as they travel to the host. */
import { IMAGE_TYPES, type ImageType, MAX_IMAGE_BYTES } from '../src/core/model/images.ts';

export type PastedImage = { mediaType: ImageType; data: string };

/** What of a paste or a drop is an image that services take; `refused` says why something was left. */
export async function readImages(files: Iterable<File>, room: number): Promise<{ images: PastedImage[]; refused?: string }> {
  const images: PastedImage[] = [];
  let refused: string | undefined;
  for (const file of files) {
    const mediaType = IMAGE_TYPES.find((type) => type === file.type);
    if (!mediaType) refused = 'Only PNG, JPEG, GIF and WebP images can be attached.';
    else if (file.size > MAX_IMAGE_BYTES) refused = `An image may have ${MAX_IMAGE_BYTES / 1_000_000} MB at most.`;
    else if (images.length >= room) refused = 'No more images fit into this message.';
    else images.push({ mediaType, data: await base64Of(file) });
  }
  return refused === undefined ? { images } : { images, refused };
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
