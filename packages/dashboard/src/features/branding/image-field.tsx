import { Trash2, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { CONTROL_CLASS, Field } from '../../components/field.tsx'
import { message, useText } from '../../lib/language.ts'

/** Props of a brand field. Null values are inherited. */
export interface BrandFieldProps<InheritedValue extends string | null> {
  readonly label: string
  readonly help: string
  readonly name: string
  readonly value: string | null
  readonly inheritedValue: InheritedValue
  readonly onChange: (value: string | null) => void
}

const URL_PLACEHOLDER = 'https://'
const UNREADABLE_FILE_MESSAGE = message('The file could not be read.')

/** Renders a field for an uploaded image or an https URL. An empty image is inherited. */
export function ImageField({ label, help, name, value, inheritedValue, onChange }: BrandFieldProps<string | null>) {
  const t = useText()
  const [problem, setProblem] = useState<string | null>(null)
  const isFile = value?.startsWith('data:') === true

  async function readImage(file: File | undefined): Promise<void> {
    if (file === undefined) return
    const fileProblem = findImageFileProblem(file)
    setProblem(fileProblem)
    if (fileProblem === null) onChange(await readAsDataUrl(file))
  }

  return (
    <Field label={label} help={help} name={name} error={problem === null ? null : t(problem)}>
      {(control) => (
        <span className="flex items-center gap-2">
          <img
            src={value ?? inheritedValue ?? '/favicon.svg'}
            alt=""
            className="size-9 shrink-0 rounded-md border border-line bg-panel object-contain p-0.5"
          />
          <input
            {...control}
            type="url"
            dir="ltr"
            readOnly={isFile}
            spellCheck={false}
            autoComplete="off"
            placeholder={URL_PLACEHOLDER}
            className={CONTROL_CLASS}
            value={isFile ? t('Uploaded file') : (value ?? '')}
            onChange={(event) => {
              setProblem(null)
              onChange(event.target.value === '' ? null : event.target.value)
            }}
          />
          <FileButton
            label={t('Upload {name}', { name: label })}
            onSelect={(file) => void readImage(file).catch(() => setProblem(UNREADABLE_FILE_MESSAGE))}
          />
          {value !== null && (
            <IconButton
              icon={Trash2}
              label={t('Remove {name}', { name: label })}
              onClick={() => {
                setProblem(null)
                onChange(null)
              }}
            />
          )}
        </span>
      )}
    </Field>
  )
}

interface FileButtonProps {
  readonly label: string
  readonly onSelect: (file: File | undefined) => void
}

function FileButton({ label, onSelect }: FileButtonProps) {
  const t = useText()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={ACCEPTED_TYPES}
        aria-label={label}
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          onSelect(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      <Button icon={Upload} onClick={() => input.current?.click()}>
        {t('Upload…')}
      </Button>
    </>
  )
}

/** API limit for a URL, including `data:` URLs. */
const MAX_URL_LENGTH = 65_536

const IMAGE_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
  'image/x-icon',
  'image/vnd.microsoft.icon',
])

const ACCEPTED_TYPES = [...IMAGE_TYPES].join(',')

/** Returns the length of a `data:` URL. Base64 encodes three bytes as four characters. */
function calculateDataUrlLength(type: string, sizeBytes: number): number {
  return `data:${type};base64,`.length + Math.ceil(sizeBytes / 3) * 4
}

/** Returns a catalog message that explains why a file cannot be used, or null if it can. */
export function findImageFileProblem({ type, size }: Pick<File, 'type' | 'size'>): string | null {
  if (!IMAGE_TYPES.has(type)) return message('Unsupported file type. Use PNG, JPEG, WebP, AVIF, GIF, SVG or ICO.')
  if (calculateDataUrlLength(type, size) > MAX_URL_LENGTH) {
    return message('The image is larger than 48 kB. Reduce it or use an https URL.')
  }
  return null
}

function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'))
    reader.readAsDataURL(file)
  })
}
