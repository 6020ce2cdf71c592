'use strict';
(() => {
  const data = JSON.parse(document.getElementById('charts').textContent);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const drawn = new Map();

  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const of = name => style.getPropertyValue('--' + name).trim();
    return Object.fromEntries(
      ['panel', 'ink', 'muted', 'line', 'blue', 'orange', 'green', 'grey', 'red'].map(name => [name, of(name)]));
  };

  // The font is named explicitly, because texts are measured before they are drawn.
  const font = getComputedStyle(document.body).fontFamily;

  const shown = value => value === null || value === undefined || Number.isNaN(value) ? '-'
    : Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
  const with_ = unit => value => shown(value) + (shown(value) === '-' ? '' : unit);

  const brief = value => String(Number(value.toPrecision(2)));

  const axis = (c, name, more) => Object.assign({
    name, nameLocation: 'middle', nameGap: 30, nameTextStyle: {color: c.muted},
    axisLabel: {color: c.muted, hideOverlap: true}, axisLine: {lineStyle: {color: c.line}},
    axisTick: {lineStyle: {color: c.line}}, splitLine: {lineStyle: {color: c.line}}
  }, more);

  const base = (c, trigger) => ({
    animation: false, textStyle: {color: c.ink, fontFamily: font}, aria: {enabled: false},
    legend: {textStyle: {color: c.ink}, inactiveColor: c.grey, top: 0, type: 'scroll'},
    tooltip: {trigger, confine: true, backgroundColor: c.panel, borderColor: c.line, textStyle: {color: c.ink}}
  });

  // Long names of data are cut here. The table below contains the whole names.
  const names = (c, all) => axis(c, '', {type: 'category', inverse: true, data: all,
    axisLabel: {color: c.muted, width: 170, overflow: 'truncate'}});

  const palette = c => [c.blue, c.orange, c.green, c.red, c.grey];
  const line = (c, i, name, points, more) => Object.assign({
    type: 'line', name, data: points, showSymbol: points.length === 1, color: palette(c)[i % 5], lineStyle: {width: 1.5}
  }, more);

  const timeBars = (c, stages, axisName, unit, selected) => {
    const parts = [
      ['computing', 'computing', c.blue], ['stalled', 'own time off the processor (disk, no core)', c.orange],
      ['own', 'own time (CPU time not known)', c.green], ['waitIn', 'waiting for input', c.grey],
      ['waitOut', 'passing on', c.muted]
    ].filter(([key]) => stages.some(s => s[key] !== null && s[key] !== undefined));
    return Object.assign(base(c, 'axis'), {
      legend: Object.assign(base(c).legend, {selected}),
      grid: {left: 30, right: 30, top: 34, bottom: 40, containLabel: true},
      tooltip: Object.assign(base(c, 'axis').tooltip, {axisPointer: {type: 'shadow'}, valueFormatter: with_(unit)}),
      xAxis: axis(c, axisName, {type: 'value'}),
      yAxis: names(c, stages.map(s => s.name)),
      series: parts.map(([key, name, color]) => (
        {type: 'bar', stack: 'time', name, color, barMaxWidth: 26, data: stages.map(s => s[key])}))
    });
  };

  const draw = {
    ladder: (c, rungs) => {
      const bar = (name, color, of) => ({
        type: 'bar', name, color, stack: 'rate', barWidth: 16, barGap: '15%', data: rungs.map(of),
        label: {show: true, position: 'right', color: c.ink, formatter: p => shown(p.value)}
      });
      const series = [bar('measured', c.blue, r => r.most ? null : r.rate)];
      if (rungs.some(r => r.most)) {
        series.push(bar('measured, where most time comes in', c.orange, r => r.most ? r.rate : null));
      }
      if (rungs.some(r => r.model !== null)) {
        series.push({
          type: 'bar', name: "explained by the stages' own times", color: c.grey, barWidth: 6,
          data: rungs.map(r => r.model)
        });
      }
      return Object.assign(base(c, 'axis'), {
        grid: {left: 30, right: 70, top: 34, bottom: 40, containLabel: true},
        tooltip: Object.assign(base(c, 'axis').tooltip, {
          axisPointer: {type: 'shadow'}, valueFormatter: with_(' ' + rungs[0].unit)}),
        xAxis: axis(c, rungs[0].unit, {type: 'value', min: 0}),
        yAxis: names(c, rungs.map(r => r.cache + (r.rate === null ? ' (not measured)' : ''))),
        series
      });
    },

    costs: (c, stages) => timeBars(c, stages, 'milliseconds for each sample', ' ms', {}),

    course: (c, lines) => Object.assign(base(c, 'axis'), {
      axisPointer: {link: [{xAxisIndex: 'all'}]},
      grid: [{left: 75, right: 20, top: 34, height: '40%'}, {left: 75, right: 20, bottom: 45, height: '28%'}],
      xAxis: [axis(c, '', {type: 'value', min: 0, gridIndex: 0, axisLabel: {show: false}}),
        axis(c, 'seconds of training', {type: 'value', min: 0, gridIndex: 1})],
      yAxis: [axis(c, lines[0].unit, {type: 'value', min: 0, nameGap: 58}),
        axis(c, 'starved %', {type: 'value', min: 0, max: 100, gridIndex: 1, nameGap: 58})],
      series: lines.flatMap((l, i) => [
        line(c, i, lines.length > 1 ? l.name + ' ' + l.unit : l.unit, l.rate,
          {tooltip: {valueFormatter: with_(' ' + l.unit)}}),
        line(c, lines.length > 1 ? i : 1, lines.length > 1 ? l.name + ' starved' : 'starved', l.starvation,
          {xAxisIndex: 1, yAxisIndex: 1, areaStyle: lines.length > 1 ? undefined : {opacity: .25},
            tooltip: {valueFormatter: with_(' %')}})
      ])
    }),

    loss: (c, lines) => Object.assign(base(c, 'axis'), {
      grid: {left: 75, right: 20, top: lines.length > 1 ? 34 : 12, bottom: 45},
      legend: Object.assign(base(c).legend, {show: lines.length > 1}),
      xAxis: axis(c, 'seconds of training', {type: 'value', min: 0}),
      yAxis: axis(c, 'loss', {type: 'value', nameGap: 50}),
      series: lines.map((l, i) => line(c, i, lines.length > 1 ? l.name : 'loss', l.loss,
        {tooltip: {valueFormatter: with_('')}}))
    }),

    accuracy: (c, points) => Object.assign(base(c, 'axis'), {
      grid: {left: 75, right: 20, top: 12, bottom: 45},
      legend: {show: false},
      xAxis: axis(c, 'epoch', {type: 'value', min: 0, minInterval: 1}),
      yAxis: axis(c, 'accuracy %', {type: 'value', scale: true, nameGap: 50}),
      series: [Object.assign(line(c, 0, 'accuracy', points, {tooltip: {valueFormatter: with_(' %')}}), {showSymbol: true})]
    }),

    stages: (c, stages) => timeBars(c, stages, 'seconds in each slot', ' s', {'passing on': false}),

    times: (c, times) => {
      const bins = [...(times.step || []), ...(times.wait || [])].map(b => b[0]);
      const edges = [...new Set(bins)].sort((a, b) => a - b);
      const end = new Map([...(times.step || []), ...(times.wait || [])].map(b => [b[0], b[1]]));
      const counts = of => {
        const by = new Map((of || []).map(b => [b[0], b[2]]));
        return edges.map(edge => by.get(edge) || null);
      };
      const series = [['step', times.step, c.blue], ['wait for the batch', times.wait, c.orange]]
        .filter(s => s[1])
        .map(([name, of, color]) => ({type: 'bar', name, color, data: counts(of), barGap: '0%', barCategoryGap: '15%'}));
      return Object.assign(base(c, 'axis'), {
        grid: {left: 75, right: 20, top: 34, bottom: 45},
        xAxis: axis(c, 'milliseconds (logarithmic)',
          {type: 'category', data: edges.map(e => brief(e) + ' to ' + brief(end.get(e))),
            axisLabel: {color: c.muted, formatter: v => v.split(' to ')[1], hideOverlap: true}}),
        yAxis: axis(c, 'steps', {type: 'value', nameGap: 50, minInterval: 1}),
        series
      });
    }
  };

  const drawAll = () => {
    const c = colours();
    for (const [name, values] of Object.entries(data)) {
      const place = document.getElementById('chart-' + name);
      if (['stages', 'ladder', 'costs'].includes(name)) {
        place.style.height = (values.length * 34 + 90) + 'px';
      }
      if (!drawn.has(name)) {
        drawn.set(name, echarts.init(place, null, {renderer: 'svg'}));
      }
      drawn.get(name).setOption(draw[name](c, values), true);
    }
  };

  drawAll();
  dark.addEventListener('change', drawAll);
  addEventListener('resize', () => drawn.forEach(chart => chart.resize()));
})();
