import type { ImagePart } from '../../../src/core/model/messages.ts';
import { IconButton } from '../button.tsx';

type ThumbnailsProps = { images: readonly Pick<ImagePart, 'mediaType' | 'data'>[]; onRemove?: (index: number) => void };

/** The images of a message or of a tool result. They can be removed before the message is sent. */
export function Thumbnails({ images, onRemove }: ThumbnailsProps) {
  if (images.length === 0) return null;
  return (
    <ul class="thumbnails" aria-label="Images">
      {images.map(({ mediaType, data }, index) => (
        <li key={index}>
          <img src={`data:${mediaType};base64,${data}`} alt={`${index + 1} of ${images.length}`} />
          {onRemove && <IconButton icon="close" label={`Remove image ${index + 1}`} onClick={() => onRemove(index)} />}
        </li>
      ))}
    </ul>
  );
}
