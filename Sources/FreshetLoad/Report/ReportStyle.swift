/// The style sheet of a report, and the script that shows the figures where the user points at a plot.
enum ReportStyle {
    static let css: HTML = """
        :root { --paper: #f6f7f9; --card: #fff; --ink: #17202a; --soft: #5c6874; --rule: #e1e5ea; --main: #0b6bcb; \
        --second: #b4530a; --faint: #9aa5b1; --bad: #c2242e; --good: #14804a; --notice: #fff4d6 }
        @media (prefers-color-scheme: dark) { :root { --paper: #0f1419; --card: #182028; --ink: #e8edf2; --soft: #9aa7b4; \
        --rule: #2a343f; --main: #5aa9f8; --second: #f0964c; --faint: #667482; --bad: #ff6b72; --good: #4cc38a; \
        --notice: #3a300f } }
        * { box-sizing: border-box }
        body { margin: 0; background: var(--paper); color: var(--ink); \
        font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif }
        main { max-width: 68rem; margin: 0 auto; padding: 2rem 1.25rem 3rem }
        h1 { margin: 0; font-size: 2rem; line-height: 1.2; overflow-wrap: anywhere }
        h2 { margin: 2.25rem 0 .75rem; font-size: 1.25rem }
        small, .note, .facts, .over, footer { color: var(--soft); font-size: .8125rem }
        i { font-style: normal }
        .over { margin: 0; letter-spacing: .04em }
        .target { margin: .35rem 0; overflow-wrap: anywhere; font-family: ui-monospace, "DejaVu Sans Mono", monospace; \
        font-size: .9375rem }
        .facts { margin: 0; display: flex; flex-wrap: wrap; gap: .1rem .9rem }
        .notice { background: var(--notice); border-radius: .5rem; padding: .6rem .9rem; margin: 1rem 0 0 }
        .tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: .75rem; margin: 1.25rem 0 0 }
        .tiles div, figure, .bars.errors, .empty { background: var(--card); border: 1px solid var(--rule); \
        border-radius: .75rem }
        .tiles div { padding: .7rem .9rem }
        .tiles .wide { grid-column: span 2 }
        .tiles dt { color: var(--soft); font-size: .8125rem }
        .tiles dd { margin: 0; font-size: 1.5rem; font-weight: 600; line-height: 1.25; white-space: nowrap; \
        font-variant-numeric: tabular-nums }
        .tiles .wide dd { font-size: 2.25rem; color: var(--main) }
        .tiles dd.note { font-size: .8125rem; font-weight: 400; white-space: normal; color: var(--soft) }
        .tiles .good dd:not(.note) { color: var(--good) }
        .tiles .bad dd:not(.note), .tiles .wide.bad dd:not(.note) { color: var(--bad) }
        .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: .75rem; \
        margin-top: .75rem }
        .triple { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: .75rem }
        .pair:first-child { margin-top: 0 }
        figure { margin: 0; padding: .9rem 1rem 1rem; min-width: 0 }
        .plot { display: flex; flex-direction: column }
        figcaption { font-weight: 600 }
        figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .5rem; margin-bottom: .6rem }
        figcaption small { font-weight: 400 }
        .legend { display: flex; gap: .9rem; margin-left: auto; font-weight: 400; font-size: .8125rem }
        .legend i::before { content: ""; display: inline-block; width: .9rem; height: .2rem; border-radius: .1rem; \
        margin-right: .35rem; vertical-align: middle; background: var(--main) }
        .legend .second::before { background: var(--second) } .legend .faint::before { background: var(--faint) }
        .legend .bad::before { background: var(--bad) }
        .frame { flex: 1; display: grid; grid-template: minmax(13rem, 1fr) 1.5rem / 3.6rem 1fr }
        .ys, .xs, .area { position: relative; font-size: .75rem; color: var(--soft); font-variant-numeric: tabular-nums }
        .ys i { position: absolute; right: .5rem; transform: translateY(50%); white-space: nowrap; line-height: 1 }
        .xs { grid-column: 2 }
        .xs i { position: absolute; top: .4rem; transform: translateX(-50%); white-space: nowrap; line-height: 1 }
        .xs .first { transform: none } .xs .last { transform: translateX(-100%) }
        .flags { margin: 0 0 0 3.6rem; font-size: .75rem; line-height: 1.35 }
        .flags div { position: relative; height: 1.35em }
        .flags i { position: absolute; white-space: nowrap; border-left: 1.5px dashed var(--second) }
        .flags span { background: var(--card); padding: 0 .3rem; margin-left: .1rem }
        .flags .before { transform: translateX(-100%); border-left: 0; border-right: 1.5px dashed var(--second) }
        .flags .before span { margin: 0 .1rem 0 0 }
        svg { position: absolute; width: 100%; height: 100%; overflow: visible }
        svg * { vector-effect: non-scaling-stroke }
        .grid { stroke: var(--rule); stroke-width: 1 }
        .line { fill: none; stroke: var(--main); stroke-width: 2; stroke-linejoin: round }
        .line.second { stroke: var(--second); stroke-width: 1.5 } .line.faint { stroke: var(--faint); stroke-width: 1 }
        .line.bad { stroke: var(--bad) }
        .fill { fill: var(--main); opacity: .14 } .fill.bad { fill: var(--bad); opacity: .25 }
        .column { fill: var(--main); stroke: var(--card); stroke-width: 1 }
        .flag { stroke: var(--second); stroke-width: 1.5; stroke-dasharray: 4 3 }
        .cursor { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--ink); opacity: .5; pointer-events: none }
        .area output { position: absolute; top: .25rem; left: .25rem; right: .25rem; text-align: center; pointer-events: none }
        .area output span { background: var(--ink); color: var(--card); border-radius: .4rem; padding: .15rem .5rem; \
        font-size: .75rem; -webkit-box-decoration-break: clone; box-decoration-break: clone }
        [hidden] { display: none !important }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
        th { text-align: left; font-weight: 400; color: var(--soft) } td { text-align: right; font-weight: 600 }
        th, td { padding: .2rem 0; border-top: 1px solid var(--rule) }
        tr:first-child > * { border-top: 0 }
        .bars > div { display: grid; grid-template-columns: 1fr auto; gap: .1rem .75rem; align-items: end; \
        padding: .35rem 0; font-size: .875rem }
        .bars b { font-weight: 500; overflow-wrap: anywhere; line-height: 1.3 }
        .bars .this b, .bars .this output { font-weight: 700 }
        .bars output { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
        .bars p { grid-column: 1 / -1; margin: 0; color: var(--soft); font-size: .8125rem; overflow-wrap: anywhere }
        .bar { grid-column: 1 / -1; grid-row: 2; display: block; height: .75rem; border-radius: .25rem; background: var(--rule); overflow: hidden }
        .bar i { display: block; height: 100%; min-width: 2px; background: var(--faint) }
        .this .bar i { background: var(--main) } .bar.bad i { background: var(--bad) }
        .bars.errors { padding: .5rem 1rem }
        .bars.errors > div + div { border-top: 1px solid var(--rule) }
        .empty { margin: 0; padding: .9rem 1rem; color: var(--soft) }
        code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9em }
        footer { margin-top: 2.25rem; border-top: 1px solid var(--rule); padding-top: .75rem } footer p { margin: 0 }
        @media (max-width: 40rem) { main { padding: 1.25rem .75rem 2rem } h1 { font-size: 1.6rem } \
        .tiles { grid-template-columns: 1fr 1fr } .frame { grid-template-columns: 3.1rem 1fr } .flags { margin-left: 3.1rem } \
        .legend { margin-left: 0 } }
        @media print { body { background: #fff } figure, .tiles div { break-inside: avoid } }

        """

    static let script: HTML = """
        for (const area of document.querySelectorAll('.area')) {
          const readouts = area.dataset.readouts.split('\\n');
          const cursor = area.querySelector('.cursor'), output = area.querySelector('output');
          const show = event => {
            const box = area.getBoundingClientRect();
            const part = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
            cursor.style.left = part * 100 + '%';
            const text = document.createElement('span');
            text.textContent = readouts[Math.min(readouts.length - 1, Math.floor(part * readouts.length))];
            output.replaceChildren(text);
            cursor.hidden = output.hidden = !text.textContent;
          };
          area.addEventListener('pointermove', show);
          area.addEventListener('pointerdown', show);
          area.addEventListener('pointerleave', () => { cursor.hidden = output.hidden = true; });
        }

        """
}
