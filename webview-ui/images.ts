/** Reads images that the user pastes or drops, and encodes them as base64 for the host. */
import { IMAGE_TYPES, type ImageType, MAX_IMAGE_BYTES } from '../src/core/model/images.ts';

export type PastedImage = { mediaType: ImageType; data: string };

/** Reads images of the types that model services accept. `room` is the maximum number of images. `problem` says why a file was not read. */
export async function readImages(files: Iterable<File>, room: number): Promise<{ images: PastedImage[]; problem?: string }> {
  const images: PastedImage[] = [];
  let problem: string | undefined;
  for (const file of files) {
    const mediaType = IMAGE_TYPES.find((type) => type === file.type);
    if (!mediaType) problem = 'Only PNG, JPEG, GIF and WebP images can be attached.';
    else if (file.size > MAX_IMAGE_BYTES)
      problem = `An image can be at most ${MAX_IMAGE_BYTES / 1_000_000} MB in size. Attach a smaller image.`;
    else if (images.length >= room) problem = 'The message cannot contain more images. Remove an image first.';
    else images.push({ mediaType, data: await base64Of(file) });
  }
  return problem === undefined ? { images } : { images, problem };
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
