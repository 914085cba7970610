/** A text as it is, such as JSON: long ones break and scroll. */
export function TextBox({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls.
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
      tabIndex={0}
      aria-label={label}
      className="max-h-96 min-w-0 overflow-auto rounded-md bg-sunken p-2.5"
    >
      <pre dir="auto" className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">
        {text}
      </pre>
    </div>
  )
}
