import { Trash2, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { CONTROL_CLASS, Field } from '../../components/field.tsx'
import { message, useText } from '../../lib/language.ts'
import type { BrandFieldProps } from './brand-field.ts'
import { IMAGE_TYPES, imageFileProblem, readAsDataUrl } from './image-file.ts'

const HTTPS = 'https://'
const UNREADABLE = message('The file cannot be read.')

/** A picture: a file, which is stored with the brand, or an https address; empty is inherited. */
export function ImageField({ label, help, name, value, inherited, onChange }: BrandFieldProps<string | null>) {
  const t = useText()
  const [problem, setProblem] = useState<string | null>(null)
  const isFile = value?.startsWith('data:') === true

  async function take(file: File | undefined): Promise<void> {
    if (file === undefined) return
    const found = imageFileProblem(file)
    setProblem(found)
    if (found === null) onChange(await readAsDataUrl(file))
  }

  return (
    <Field label={label} help={help} name={name} error={problem === null ? null : t(problem)}>
      {(control) => (
        <span className="flex items-center gap-2">
          <img
            src={value ?? inherited ?? '/favicon.svg'}
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
            placeholder={HTTPS}
            className={CONTROL_CLASS}
            value={isFile ? t('A file') : (value ?? '')}
            onChange={(event) => {
              setProblem(null)
              onChange(event.target.value === '' ? null : event.target.value)
            }}
          />
          <FileChoice
            label={t('{name}: file', { name: label })}
            onChoose={(file) => void take(file).catch(() => setProblem(UNREADABLE))}
          />
          {value !== null && (
            <IconButton
              icon={Trash2}
              label={t('Remove: {name}', { name: label })}
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

interface FileChoiceProps {
  readonly label: string
  readonly onChoose: (file: File | undefined) => void
}

function FileChoice({ label, onChoose }: FileChoiceProps) {
  const t = useText()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={IMAGE_TYPES}
        aria-label={label}
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          onChoose(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      <Button icon={Upload} onClick={() => input.current?.click()}>
        {t('File …')}
      </Button>
    </>
  )
}
