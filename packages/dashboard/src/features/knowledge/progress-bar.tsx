/** How much of something is done, as a bar. */
export function ProgressBar({
  label,
  value,
  maximum,
}: {
  readonly label: string
  readonly value: number
  readonly maximum: number
}) {
  return (
    <progress
      aria-label={label}
      value={value}
      max={maximum}
      className="h-1.5 w-full appearance-none overflow-hidden rounded-full border-0 bg-sunken [&::-moz-progress-bar]:bg-brand-text [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-brand-text"
    />
  )
}
